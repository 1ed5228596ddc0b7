/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Server;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.HttpString;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;

/**
 * Undertow over TLS, with HTTP/2 where the client wants it; {@code x-protocol} of each answer says what it was, and {@code x-peer} over which connection. With the certificate of {@code javax.net.ssl.keyStore}.
 */
public final class UndertowTls implements Server {
    /** How many requests at once a connection of HTTP/2 has. */
    public static final int STREAMS = 20;

    private Undertow undertow;

    @Override
    public int start(Handler handler) throws Exception {
        undertow = Undertow.builder()
                .addHttpsListener(0, "127.0.0.1", SSLContext.getDefault())
                .setServerOption(UndertowOptions.ENABLE_HTTP2, true)
                .setServerOption(UndertowOptions.HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS)
                .setHandler(new BlockingHandler(exchange -> {
                    exchange.getResponseHeaders()
                            .put(
                                    HttpString.tryFromString("x-protocol"),
                                    exchange.getProtocol().toString());
                    exchange.getResponseHeaders()
                            .put(
                                    HttpString.tryFromString("x-peer"),
                                    exchange.getSourceAddress().toString());
                    UndertowServer.answer(exchange, handler);
                }))
                .build();
        undertow.start();
        return ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
    }

    @Override
    public void close() {
        undertow.stop();
    }
}
