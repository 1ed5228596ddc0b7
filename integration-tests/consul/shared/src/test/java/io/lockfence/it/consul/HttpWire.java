/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/** The way to Consul, which may answer some requests itself: with an error, as a server does that has no leader, before or after it has passed them on. */
final class HttpWire implements AutoCloseable {
    private final HttpServer server;
    private final int port;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = HttpClient.newHttpClient();

    /** By method and path with query. */
    volatile Predicate<String> refuses = request -> false;

    /** Its answers get lost. */
    volatile Predicate<String> swallows = request -> false;

    /** Called before a request is passed on. */
    volatile Runnable before = () -> {};

    final List<String> requests = new CopyOnWriteArrayList<>();

    HttpWire(int port) {
        this.port = port;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void pass(HttpExchange exchange) throws IOException {
        URI uri = exchange.getRequestURI();
        String request = exchange.getRequestMethod() + " " + uri;
        requests.add(request);
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (refuses.test(request)) {
            answer(exchange, 500, "No cluster leader".getBytes());
            return;
        }
        before.run();
        try {
            HttpRequest.Builder onwards =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + uri)).method(
                            exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
            String token = exchange.getRequestHeaders().getFirst("X-Consul-Token");
            if (token != null) {
                onwards.header("X-Consul-Token", token);
            }
            HttpResponse<byte[]> response = client.send(onwards.build(), HttpResponse.BodyHandlers.ofByteArray());
            response.headers().map().forEach((name, values) -> {
                if (name.regionMatches(true, 0, "X-Consul", 0, 8) || name.equalsIgnoreCase("Content-Type")) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            if (swallows.test(request)) {
                answer(exchange, 500, "rpc error: connection lost".getBytes());
            } else {
                answer(exchange, response.statusCode(), response.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
