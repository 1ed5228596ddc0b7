/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** {@code java.net.http.HttpClient#sendAsync}. */
public class JdkAsync extends JdkSync {
    public JdkAsync() {}

    JdkAsync(HttpClient client) {
        super(client);
    }

    @Override
    public Call build(String method, String url, String body) {
        HttpRequest request = request(method, url, body);
        return () -> {
            CompletableFuture<HttpResponse<String>> answer =
                    Unwrapped.called(() -> client.sendAsync(request, BodyHandlers.ofString()));
            try {
                return reply(answer.get());
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }
}
