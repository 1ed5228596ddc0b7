/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.core5.http.ContentType;

/** Apache HttpClient 5, asynchronous. */
public class Apache5Async implements Client {
    private final CloseableHttpAsyncClient client;

    public Apache5Async() {
        this(HttpAsyncClientBuilder.create());
    }

    Apache5Async(HttpAsyncClientBuilder builder) {
        client = builder.build();
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
            request.setBody(body, ContentType.create("text/plain", StandardCharsets.UTF_8));
        }
        return () -> {
            Future<SimpleHttpResponse> answer = Unwrapped.called(() -> client.execute(request, null));
            try {
                SimpleHttpResponse response = answer.get();
                return Apache5Sync.reply(response, response.getBodyText());
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
