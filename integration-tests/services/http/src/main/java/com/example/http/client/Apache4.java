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
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Apache HttpClient 4.5. */
public final class Apache4 implements Client {
    private final CloseableHttpClient client =
            HttpClients.custom().setMaxConnPerRoute(50).setMaxConnTotal(200).build();

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        RequestBuilder builder = RequestBuilder.create(method).setUri(url);
        if (body != null) {
            builder.setEntity(new StringEntity(body, StandardCharsets.UTF_8));
        }
        HttpUriRequest request = builder.build();
        return () -> {
            try (CloseableHttpResponse response = client.execute(request)) {
                return reply(response);
            }
        };
    }

    private static Reply reply(CloseableHttpResponse response) throws IOException {
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
