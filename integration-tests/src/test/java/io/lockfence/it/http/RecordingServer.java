/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Notes the header of each request: {@code /moved} leads to {@code /here} on the same host, {@code /away} to another name of it, {@code /slow} waits, {@code /pieces} answers in many. */
final class RecordingServer implements AutoCloseable {
    /** For each request its method, its path, and the values of the field. */
    record Seen(String method, String path, List<String> tokens) {}

    final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
    final CountDownLatch slow = new CountDownLatch(1);
    final CountDownLatch slowReached = new CountDownLatch(1);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    RecordingServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            List<String> tokens = exchange.getRequestHeaders().getOrDefault("Fencing-Token", List.of());
            seen.add(new Seen(exchange.getRequestMethod(), path, List.copyOf(tokens)));
            switch (path) {
                case "/moved" -> redirect(exchange, "/here");
                case "/away" ->
                    redirect(exchange, "http://localhost:" + server.getAddress().getPort() + "/outside");
                case "/slow" -> {
                    slowReached.countDown();
                    if (!slow.await(60, TimeUnit.SECONDS)) {
                        throw new IOException("nobody went on");
                    }
                    exchange.sendResponseHeaders(204, -1);
                }
                case "/pieces" -> {
                    exchange.sendResponseHeaders(200, 0);
                    for (int i = 0; i < 50; i++) {
                        exchange.getResponseBody().write(new byte[4_000]);
                        exchange.getResponseBody().flush();
                    }
                }
                default -> exchange.sendResponseHeaders(204, -1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        exchange.sendResponseHeaders(307, -1);
    }

    @Override
    public void close() {
        slow.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
