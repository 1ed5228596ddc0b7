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
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;

/** Apache HttpClient 5, classic. */
public final class Apache5 implements Client {
    private final CloseableHttpClient client = HttpClients.custom()
            .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                    .setMaxConnPerRoute(50)
                    .setMaxConnTotal(200)
                    .build())
            .build();

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        HttpUriRequestBase request = new HttpUriRequestBase(method, java.net.URI.create(url));
        if (body != null) {
            request.setEntity(new StringEntity(body, StandardCharsets.UTF_8));
        }
        return () -> client.execute(request, response -> {
            HttpEntity entity = response.getEntity();
            return new Reply(
                    response.getCode(),
                    headers(response),
                    entity == null ? "" : EntityUtils.toString(entity, StandardCharsets.UTF_8));
        });
    }

    static Map<String, List<String>> headers(HttpResponse response) {
        Map<String, List<String>> headers = new HashMap<>();
        for (Header header : response.getHeaders()) {
            headers.computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(header.getValue());
        }
        return headers;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
