/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.impl.nio.client.CloseableHttpAsyncClient;
import org.apache.http.impl.nio.client.HttpAsyncClientBuilder;

/** Apache HttpAsyncClient 4.1. */
public class Apache4Async implements Client {
    private final CloseableHttpAsyncClient client;

    public Apache4Async() {
        this(HttpAsyncClientBuilder.create());
    }

    Apache4Async(HttpAsyncClientBuilder builder) {
        client = builder.build();
        client.start();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        HttpUriRequest request = Apache4Sync.request(method, url, body);
        return () -> {
            Future<HttpResponse> answer = Unwrapped.called(() -> client.execute(request, null));
            try {
                return Apache4Sync.reply(answer.get());
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
