/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import com.example.http.Adapters;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server over TLS, with HTTP/2 where the client wants it; keeps the tokens of each request. {@code /redirect} goes on to {@code /target}. */
final class Secure implements AutoCloseable {
    private final Server server;
    private final int port;
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private volatile Runnable listener = () -> {};

    Secure(Adapters adapters) throws Exception {
        server = adapters.server("UndertowTls@undertow-2.4.4.Final");
        port = server.start(this::handle);
    }

    String url(String path) {
        return "https://127.0.0.1:" + port + path;
    }

    /** The fields of each request, in order; joined by a bar where there are several. */
    List<String> tokens() {
        return tokens;
    }

    /** As {@link #tokens()}, without the numbers. */
    List<String> leases() {
        return tokens.stream().map(token -> token.replaceAll("#\\d+", "")).toList();
    }

    /** Called for each request, before it is answered. */
    void listener(Runnable value) {
        listener = value;
    }

    private Reply handle(Request request) {
        tokens.add(String.join("|", request.headers().getOrDefault("fencing-token", List.of())));
        listener.run();
        return request.path().equals("/redirect")
                ? new Reply(302, Map.of("location", List.of(url("/target"))), "")
                : Reply.text(200, "ok");
    }

    @Override
    public void close() throws Exception {
        server.close();
    }
}
