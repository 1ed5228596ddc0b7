/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** The Spring Boot service, spoken to over HTTP. What its answers say of increments and refusals is counted. Thread safe. */
public final class Web {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Pattern REFUSED = Pattern.compile("^LF\\d{3} .*", Pattern.DOTALL);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ServiceProcess process;
    private final Tally tally;
    private int port;

    Web(ServiceProcess process, Tally tally) {
        this.process = process;
        this.tally = tally;
    }

    public ServiceProcess process() {
        return process;
    }

    /** Waits until it listens. */
    public synchronized Web ready() throws InterruptedException {
        if (port == 0) {
            port = Integer.parseInt(process.await("^ready (\\d+)$", LIMIT).group(1));
        }
        return this;
    }

    /** Sends a POST that adds so many in all, if it is answered with 200. */
    public CompletableFuture<HttpResponse<String>> starts(String path, int increments) throws InterruptedException {
        ready();
        HttpRequest request =
                request(path).POST(HttpRequest.BodyPublishers.noBody()).build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(answer -> {
            if (answer.statusCode() == 200) {
                tally.committed(increments);
            } else if (REFUSED.matcher(answer.body()).matches()) {
                tally.refused(process.name(), path, answer.body());
            }
            return answer;
        });
    }

    /** The same, and waits for the answer. */
    public HttpResponse<String> tries(String path, int increments) throws InterruptedException {
        return starts(path, increments).join();
    }

    /** The same for what must be answered with 200; gives the body. */
    public String does(String path, int increments) throws InterruptedException {
        HttpResponse<String> answer = tries(path, increments);
        if (answer.statusCode() != 200) {
            throw new AssertionError(process.name() + ": POST " + path + " should have succeeded, but: "
                    + answer.statusCode() + " " + answer.body() + "\n" + process.output());
        }
        return answer.body();
    }

    /**
     * Sends a POST with a fencing token, as a caller's agent would.
     *
     * @param token the field's value; null for none
     */
    public CompletableFuture<HttpResponse<String>> sends(String path, String token) throws InterruptedException {
        ready();
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.noBody());
        if (token != null) {
            request.header("Fencing-Token", token);
        }
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The body of what a GET gives. */
    public String get(String path) throws InterruptedException, IOException {
        ready();
        return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(LIMIT);
    }
}
