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
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.HandlerStrategies;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Spring WebFlux on Reactor Netty, by functional routes. What the handler does may block, and so runs on the elastic scheduler. */
public class WebFluxServer implements Server {
    private DisposableServer server;

    @Override
    public int start(Handler handler) {
        ReactorHttpHandlerAdapter adapter = new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(
                RouterFunctions.route(RequestPredicates.all(), request -> answer(handler, request)),
                HandlerStrategies.withDefaults()));
        server = HttpServer.create()
                .host(InetAddress.getLoopbackAddress().getHostAddress())
                .port(0)
                .handle(adapter)
                .bindNow();
        return server.port();
    }

    private Mono<ServerResponse> answer(Handler handler, ServerRequest request) {
        return request.bodyToMono(String.class)
                .defaultIfEmpty("")
                .flatMap(body -> handled(Mono.fromCallable(() -> handler.handle(request(request, body)))))
                .flatMap(reply -> {
                    ServerResponse.BodyBuilder response = ServerResponse.status(reply.status());
                    reply.headers().forEach((name, values) -> response.header(name, values.toArray(String[]::new)));
                    return response.bodyValue(reply.body());
                });
    }

    /** How the handler's work is run. */
    protected Mono<Reply> handled(Mono<Reply> work) {
        return work.subscribeOn(Schedulers.boundedElastic());
    }

    private static Request request(ServerRequest request, String body) {
        Map<String, List<String>> headers = new HashMap<>();
        request.headers().asHttpHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        return new Request(method(request), request.uri().getPath(), headers, body);
    }

    /** By reflection: {@code method()} returned an enum before Spring 6, and {@code methodName()} is gone since 7. */
    private static String method(ServerRequest request) {
        try {
            Object method = ServerRequest.class.getMethod("method").invoke(request);
            return (String) method.getClass().getMethod("name").invoke(method);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
