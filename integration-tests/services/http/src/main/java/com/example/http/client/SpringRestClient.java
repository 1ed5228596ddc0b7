/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Spring's {@code RestClient} as it is made by default: over the JDK's client. */
public final class SpringRestClient implements Client {
    private final RestClient client = RestClient.create();

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        RestClient.RequestBodySpec request =
                client.method(HttpMethod.valueOf(method)).uri(URI.create(url));
        if (body != null) {
            request.contentType(MediaType.parseMediaType("text/plain;charset=utf-8"))
                    .body(body.getBytes(StandardCharsets.UTF_8));
        }
        try {
            return request.exchange((sent, response) -> new Reply(
                    response.getStatusCode().value(),
                    SpringReply.headers(response.getHeaders()),
                    new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8)));
        } catch (ResourceAccessException e) {
            // Its own exception is a RuntimeException around that of the network.
            throw e.getCause() instanceof IOException cause ? cause : e;
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
