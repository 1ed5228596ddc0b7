/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** {@code com.sun.net.httpserver.HttpServer} with a pool of threads. */
public final class JdkServer implements Server {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @Override
    public int start(Handler handler) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange, reply(handler, exchange));
            }
        });
        server.start();
        return server.getAddress().getPort();
    }

    private static Reply reply(Handler handler, HttpExchange exchange) throws IOException {
        Map<String, List<String>> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return handler.handle(new Request(
                    exchange.getRequestMethod(), exchange.getRequestURI().getPath(), headers, body));
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static void answer(HttpExchange exchange, Reply reply) throws IOException {
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().putAll(reply.headers());
        exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
