/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientException;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Spring's WebClient on Reactor Netty, where the caller blocks. One connection for each host, so that requests queue. */
public class WebClientBlocking implements Client {
    private volatile Runnable calledBack = () -> {};
    private final ConnectionProvider connections = ConnectionProvider.create("one", 1);
    private final WebClient client;

    public WebClientBlocking() {
        this(plain -> plain);
    }

    WebClientBlocking(UnaryOperator<HttpClient> configuration) {
        client = WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(
                        configuration.apply(HttpClient.create(connections).followRedirect(true))))
                .build();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    @Override
    public Call build(String method, String url, String body) {
        WebClient.RequestBodySpec request =
                client.method(HttpMethod.valueOf(method)).uri(URI.create(url));
        Mono<Reply> reply = (body == null ? request : request.bodyValue(body)).exchangeToMono(response -> {
            calledBack.run();
            Map<String, List<String>> headers = new HashMap<>();
            response.headers()
                    .asHttpHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
            return response.bodyToMono(String.class).defaultIfEmpty("").map(text -> {
                calledBack.run();
                return new Reply(status(response), headers, text);
            });
        });
        return () -> {
            try {
                return wait(reply);
            } catch (WebClientException e) {
                throw Unwrapped.of(e);
            }
        };
    }

    /** By reflection: the type that it returns is another one since Spring 6. */
    private static int status(ClientResponse response) {
        try {
            Object status = ClientResponse.class.getMethod("statusCode").invoke(response);
            return (int) status.getClass().getMethod("value").invoke(status);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    protected Reply wait(Mono<Reply> reply) throws Exception {
        return reply.block(Duration.ofSeconds(60));
    }

    @Override
    public void close() {
        connections.dispose();
    }
}
