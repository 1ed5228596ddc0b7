/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;

/** Apache HttpClient 5, asynchronous. */
public final class Apache5Async implements Client {
    private final CloseableHttpAsyncClient client = HttpAsyncClients.custom()
            .setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
                    .setMaxConnPerRoute(50)
                    .setMaxConnTotal(200)
                    .build())
            .build();

    public Apache5Async() {
        client.start();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        SimpleHttpRequest request = new SimpleHttpRequest(method, URI.create(url));
        if (body != null) {
            request.setBody(body.getBytes(StandardCharsets.UTF_8), ContentType.TEXT_PLAIN);
        }
        return () -> {
            try {
                SimpleHttpResponse response = client.execute(request, null).get();
                byte[] bytes = response.getBodyBytes();
                return new Reply(
                        response.getCode(),
                        Apache5.headers(response),
                        bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8));
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            }
        };
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
