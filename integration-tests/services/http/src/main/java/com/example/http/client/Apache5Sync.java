/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;

/** Apache HttpClient 5, classic. */
public class Apache5Sync implements Client {
    private final CloseableHttpClient client;

    public Apache5Sync() {
        this(HttpClientBuilder.create());
    }

    Apache5Sync(HttpClientBuilder builder) {
        client = builder.build();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) throws Exception {
        HttpUriRequestBase request = new HttpUriRequestBase(method, URI.create(url));
        if (body != null) {
            request.setEntity(new StringEntity(body, ContentType.create("text/plain", StandardCharsets.UTF_8)));
        }
        return () -> client.execute(request, Apache5Sync::reply);
    }

    private static Reply reply(ClassicHttpResponse response) throws IOException, HttpException {
        String body =
                response.getEntity() == null ? "" : EntityUtils.toString(response.getEntity(), StandardCharsets.UTF_8);
        return reply(response, body);
    }

    static Reply reply(HttpResponse response, String body) {
        Map<String, List<String>> headers = new HashMap<>();
        for (Header header : response.getHeaders()) {
            headers.computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(header.getValue());
        }
        return new Reply(response.getCode(), headers, body == null ? "" : body);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
