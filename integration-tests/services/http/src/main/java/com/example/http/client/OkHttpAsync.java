/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Reply;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Callback;
import okhttp3.Request;
import okhttp3.Response;

/** {@code okhttp3.Call#enqueue}. */
public final class OkHttpAsync extends OkHttpSync {
    @Override
    public Call build(String method, String url, String body) {
        Request request = request(method, url, body);
        return () -> {
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            client.newCall(request).enqueue(new Callback() {
                @Override
                public void onFailure(okhttp3.Call call, IOException e) {
                    answer.completeExceptionally(e);
                }

                @Override
                public void onResponse(okhttp3.Call call, Response response) throws IOException {
                    try {
                        answer.complete(reply(response));
                    } catch (IOException e) {
                        answer.completeExceptionally(e);
                    }
                }
            });
            try {
                return answer.get();
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }
}
