/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The client of JAX-RS, as Jersey makes it by default: over {@code HttpURLConnection}. */
public final class Jersey implements Client {
    private final jakarta.ws.rs.client.Client client = ClientBuilder.newClient();

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        Invocation.Builder builder = client.target(url).request();
        Invocation call = body == null
                ? builder.build(method)
                : builder.build(method, Entity.entity(body, MediaType.TEXT_PLAIN_TYPE.withCharset("utf-8")));
        return () -> {
            try (Response response = call.invoke()) {
                Map<String, List<String>> headers = new HashMap<>();
                response.getStringHeaders()
                        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
                return new Reply(response.getStatus(), headers, response.readEntity(String.class));
            } catch (ProcessingException e) {
                // Its own exception is a RuntimeException around that of the network.
                throw e.getCause() instanceof IOException cause ? cause : e;
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
