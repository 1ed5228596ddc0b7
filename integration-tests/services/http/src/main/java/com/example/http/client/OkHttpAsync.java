/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Reply;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** {@code okhttp3.Call#enqueue}. */
public class OkHttpAsync extends OkHttpSync {
    private volatile Runnable calledBack = () -> {};

    public OkHttpAsync() {}

    OkHttpAsync(OkHttpClient.Builder builder) {
        super(builder);
    }

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    @Override
    public Call build(String method, String url, String body) {
        Request request = request(method, url, body);
        return () -> {
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            Callback callback = new Callback() {
                @Override
                public void onFailure(okhttp3.Call call, IOException e) {
                    calledBack.run();
                    answer.completeExceptionally(e);
                }

                @Override
                public void onResponse(okhttp3.Call call, Response response) throws IOException {
                    calledBack.run();
                    try {
                        answer.complete(reply(response));
                    } catch (IOException e) {
                        answer.completeExceptionally(e);
                    }
                }
            };
            Unwrapped.called(() -> {
                client.newCall(request).enqueue(callback);
                return null;
            });
            try {
                return answer.get();
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }
}
