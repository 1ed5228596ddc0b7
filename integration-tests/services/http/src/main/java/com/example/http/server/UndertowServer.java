/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.HeaderValues;
import io.undertow.util.HttpString;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Undertow's own blocking handler. */
public final class UndertowServer implements Server {
    private Undertow undertow;

    @Override
    public int start(Handler handler) {
        undertow = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setWorkerThreads(64)
                .setHandler(new BlockingHandler(exchange -> answer(exchange, handler)))
                .build();
        undertow.start();
        return ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
    }

    static void answer(HttpServerExchange exchange, Handler handler) throws Exception {
        Map<String, List<String>> headers = new HashMap<>();
        for (HeaderValues values : exchange.getRequestHeaders()) {
            headers.put(values.getHeaderName().toString().toLowerCase(Locale.ROOT), List.copyOf(values));
        }
        String body = new String(exchange.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Reply reply = handler.handle(
                new Request(exchange.getRequestMethod().toString(), exchange.getRequestPath(), headers, body));
        exchange.setStatusCode(reply.status());
        reply.headers()
                .forEach(
                        (name, values) -> exchange.getResponseHeaders().addAll(HttpString.tryFromString(name), values));
        exchange.getOutputStream().write(reply.body().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        undertow.stop();
    }
}
