/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** {@code java.net.http.HttpClient#sendAsync}. */
public class JdkAsync extends JdkSync {
    private volatile Runnable calledBack = () -> {};

    public JdkAsync() {}

    JdkAsync(HttpClient client) {
        super(client);
    }

    private BodySubscriber<String> read(ResponseInfo response) {
        calledBack.run();
        return BodySubscribers.mapping(BodyHandlers.ofString().apply(response), text -> {
            calledBack.run();
            return text;
        });
    }

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    @Override
    public Call build(String method, String url, String body) {
        HttpRequest request = request(method, url, body);
        return () -> {
            CompletableFuture<HttpResponse<String>> answer = Unwrapped.called(
                            () -> client.sendAsync(request, this::read))
                    .whenComplete((response, failure) -> calledBack.run());
            try {
                return reply(answer.get());
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }
}
