/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutionException;

/** {@code java.net.http.HttpClient#sendAsync}. */
public final class JdkAsync extends JdkSync {
    @Override
    public Call build(String method, String url, String body) {
        HttpRequest request = request(method, url, body);
        return () -> {
            try {
                return reply(client.sendAsync(request, BodyHandlers.ofString()).get());
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }
}
