/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code java.net.HttpURLConnection}. */
public class UrlConnection implements Client {
    @Override
    public Reply send(String method, String url, String body) throws IOException {
        return built(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) throws IOException {
        return built(method, url, body)::send;
    }

    private interface Sending {
        Reply send() throws IOException;
    }

    private Sending built(String method, String url, String body) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setDoOutput(body != null);
        prepare(connection);
        return () -> {
            if (body != null) {
                connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
                connection.getOutputStream().close();
            }
            int status = connection.getResponseCode();
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new Reply(status, headers(connection), text);
            }
        };
    }

    /** For a subclass. */
    void prepare(HttpURLConnection connection) {}

    private static Map<String, List<String>> headers(HttpURLConnection connection) {
        Map<String, List<String>> headers = new HashMap<>();
        connection.getHeaderFields().forEach((name, values) -> {
            if (name != null) {
                headers.put(name.toLowerCase(Locale.ROOT), values);
            }
        });
        return headers;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
