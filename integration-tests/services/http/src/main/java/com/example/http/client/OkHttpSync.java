/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.time.Duration;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** {@code okhttp3.Call#execute}. */
public class OkHttpSync implements Client {
    private static final MediaType TEXT = MediaType.get("text/plain;charset=utf-8");

    final OkHttpClient client;

    public OkHttpSync() {
        this(new OkHttpClient.Builder());
    }

    OkHttpSync(OkHttpClient.Builder builder) {
        client = builder.connectTimeout(Duration.ofMinutes(1))
                .readTimeout(Duration.ofMinutes(1))
                .writeTimeout(Duration.ofMinutes(1))
                .build();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) throws Exception {
        Request request = request(method, url, body);
        return () -> reply(client.newCall(request).execute());
    }

    @SuppressWarnings("deprecation") // In this order of parameters the method is there in 3.x as well.
    static Request request(String method, String url, String body) {
        return new Request.Builder()
                .url(url)
                .method(method, body == null ? null : RequestBody.create(TEXT, body))
                .build();
    }

    static Reply reply(Response response) throws IOException {
        try (response) {
            // Names are in small letters there.
            return new Reply(
                    response.code(),
                    response.headers().toMultimap(),
                    response.body().string());
        }
    }

    @Override
    public void close() {
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
