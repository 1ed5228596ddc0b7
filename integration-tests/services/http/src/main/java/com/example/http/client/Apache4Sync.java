/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.http.Header;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.entity.ContentType;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.util.EntityUtils;

/** Apache HttpClient 4.5. */
public class Apache4Sync implements Client {
    final CloseableHttpClient client;

    public Apache4Sync() {
        this(HttpClientBuilder.create());
    }

    Apache4Sync(HttpClientBuilder builder) {
        client = builder.build();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) throws Exception {
        HttpUriRequest request = request(method, url, body);
        return () -> client.execute(request, Apache4Sync::reply);
    }

    static HttpUriRequest request(String method, String url, String body) {
        RequestBuilder builder = RequestBuilder.create(method).setUri(url);
        if (body != null) {
            builder.setEntity(new StringEntity(body, ContentType.create("text/plain", StandardCharsets.UTF_8)));
        }
        return builder.build();
    }

    static Reply reply(HttpResponse response) throws IOException {
        Map<String, List<String>> headers = new HashMap<>();
        for (Header header : response.getAllHeaders()) {
            headers.computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(header.getValue());
        }
        String body =
                response.getEntity() == null ? "" : EntityUtils.toString(response.getEntity(), StandardCharsets.UTF_8);
        return new Reply(response.getStatusLine().getStatusCode(), headers, body);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
