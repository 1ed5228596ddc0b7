/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import java.net.InetAddress;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Spring WebFlux on Reactor Netty, by controllers: {@code /advised/x} has an advice for what goes wrong, {@code /plain/x} leaves it to Spring. */
public final class WebFluxAnnotated implements Server {
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private DisposableServer server;

    /** What makes Spring look for the others. */
    @EnableWebFlux
    public static class Configured {}

    /** Its own failure says what it is. */
    public static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed(Throwable cause) {
            super(cause);
        }
    }

    /** Both paths. */
    @RestController
    public static class Controller {
        private final Handler handler;

        public Controller(Handler handler) {
            this.handler = handler;
        }

        @PutMapping("/plain/{name}")
        public Mono<String> plain(@PathVariable("name") String name) {
            return Mono.fromCallable(() -> handled("/plain/" + name)).subscribeOn(Schedulers.boundedElastic());
        }

        @PutMapping("/advised/{name}")
        public Mono<String> advised(@PathVariable("name") String name) {
            return plain(name).onErrorMap(Failed::new);
        }

        private String handled(String path) throws Exception {
            Reply reply = handler.handle(new Request("PUT", path, Map.of(), ""));
            return reply.body();
        }
    }

    /** Of {@link Failed} alone. */
    @ControllerAdvice
    public static class Advice {
        @ExceptionHandler(Failed.class)
        @ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
        @ResponseBody
        public Mono<String> failed(Failed failure) {
            return Mono.just("advised: " + failure.getCause().getMessage());
        }
    }

    @Override
    public int start(Handler handler) {
        context.registerBean(Handler.class, () -> handler);
        context.register(Configured.class, Controller.class, Advice.class);
        context.refresh();
        server = HttpServer.create()
                .host(InetAddress.getLoopbackAddress().getHostAddress())
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(
                        WebHttpHandlerBuilder.applicationContext(context).build()))
                .bindNow();
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow();
        context.close();
    }
}
