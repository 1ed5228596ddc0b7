/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import feign.Request;
import feign.Response;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Feign's client as it is made by default: over {@code HttpURLConnection}. */
@SuppressWarnings("deprecation") // What takes its place is not there in 10.
public final class Feign implements Client {
    private final feign.Client client = new feign.Client.Default(null, null);

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        Request request = Request.create(
                Request.HttpMethod.valueOf(method),
                url,
                Map.of(),
                body == null ? null : body.getBytes(StandardCharsets.UTF_8),
                StandardCharsets.UTF_8);
        return () -> {
            try (Response response = client.execute(request, new Request.Options())) {
                return new Reply(response.status(), headers(response), body(response));
            }
        };
    }

    private static Map<String, List<String>> headers(Response response) {
        Map<String, List<String>> headers = new HashMap<>();
        response.headers().forEach((name, values) -> {
            if (name != null) {
                headers.put(name.toLowerCase(Locale.ROOT), new ArrayList<>(values));
            }
        });
        return headers;
    }

    private static String body(Response response) throws IOException {
        if (response.body() == null) {
            return "";
        }
        try (InputStream in = response.body().asInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
