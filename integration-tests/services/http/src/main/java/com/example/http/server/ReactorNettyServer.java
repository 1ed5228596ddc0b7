/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Reactor Netty without anything on top. A path that ends in {@code head-first} is answered head first. */
public final class ReactorNettyServer implements Server {
    private DisposableServer server;

    @Override
    public int start(Handler handler) {
        server = HttpServer.create()
                .host(InetAddress.getLoopbackAddress().getHostAddress())
                .port(0)
                .handle((request, response) -> handled(handler, request, response))
                .bindNow();
        return server.port();
    }

    private static Publisher<Void> handled(Handler handler, HttpServerRequest request, HttpServerResponse response) {
        Map<String, List<String>> headers = new HashMap<>();
        request.requestHeaders()
                .forEach(field -> headers.put(field.getKey().toLowerCase(Locale.ROOT), List.of(field.getValue())));
        String uri = request.uri();
        Mono<Reply> reply = request.receive()
                .aggregate()
                .asString()
                .defaultIfEmpty("")
                .flatMap(body -> Mono.fromCallable(() ->
                                handler.handle(new Request(request.method().name(), uri, headers, body)))
                        .subscribeOn(Schedulers.boundedElastic()));
        return reply.flatMap(answer -> {
            response.status(answer.status());
            if (uri.endsWith("head-first")) {
                return Mono.from(response.sendHeaders()
                        .then(Mono.defer(() -> Mono.from(response.sendString(Mono.just(answer.body()))))));
            }
            response.header("Content-Length", String.valueOf(answer.body().length()));
            return Mono.from(response.sendString(Mono.just(answer.body())));
        });
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
