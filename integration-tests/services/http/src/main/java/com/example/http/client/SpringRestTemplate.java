/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.DefaultResponseErrorHandler;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestTemplate;

/** Spring's {@code RestTemplate} as it is made by default: over {@code HttpURLConnection}. */
public final class SpringRestTemplate implements Client {
    private final RestTemplate template = new RestTemplate();

    public SpringRestTemplate() {
        template.setErrorHandler(new DefaultResponseErrorHandler() {
            @Override
            public boolean hasError(ClientHttpResponse response) {
                return false;
            }
        });
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        HttpEntity<byte[]> entity = body == null ? null : new HttpEntity<>(body.getBytes(StandardCharsets.UTF_8));
        try {
            ResponseEntity<byte[]> response =
                    template.exchange(URI.create(url), HttpMethod.valueOf(method), entity, byte[].class);
            return reply(response);
        } catch (ResourceAccessException e) {
            // Its own exception is a RuntimeException around that of the network.
            throw e.getCause() instanceof IOException cause ? cause : e;
        }
    }

    private static Reply reply(ResponseEntity<byte[]> response) {
        byte[] body = response.getBody();
        return new Reply(
                SpringReply.status(response),
                SpringReply.headers(response.getHeaders()),
                body == null ? "" : new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
