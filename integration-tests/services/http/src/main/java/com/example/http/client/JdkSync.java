/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** {@code java.net.http.HttpClient#send}. */
public class JdkSync implements Client {
    final HttpClient client;

    public JdkSync() {
        this(HttpClient.newHttpClient());
    }

    JdkSync(HttpClient client) {
        this.client = client;
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) throws Exception {
        HttpRequest request = request(method, url, body);
        return () -> reply(client.send(request, BodyHandlers.ofString()));
    }

    static HttpRequest request(String method, String url, String body) {
        BodyPublisher publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        return HttpRequest.newBuilder(URI.create(url)).method(method, publisher).build();
    }

    static Reply reply(HttpResponse<String> response) {
        return new Reply(response.statusCode(), response.headers().map(), response.body());
    }

    @Override
    public void close() {
        // It has no such method before JDK 21; its threads end when it is collected.
    }
}
