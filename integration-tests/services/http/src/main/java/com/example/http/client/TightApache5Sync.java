/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

/** With two connections, an answer to challenges, and retries of everything that fails. */
public final class TightApache5Sync extends Apache5Sync {
    public TightApache5Sync() {
        super(HttpClientBuilder.create()
                .setConnectionManager(connections())
                .setDefaultCredentialsProvider(credentials())
                .setRetryStrategy(new Everything()));
    }

    private static PoolingHttpClientConnectionManager connections() {
        PoolingHttpClientConnectionManager connections = new PoolingHttpClientConnectionManager();
        connections.setMaxTotal(2);
        connections.setDefaultMaxPerRoute(2);
        return connections;
    }

    static CredentialsProvider credentials() {
        BasicCredentialsProvider credentials = new BasicCredentialsProvider();
        credentials.setCredentials(
                new AuthScope(null, -1), new UsernamePasswordCredentials("user", "secret".toCharArray()));
        return credentials;
    }

    /** As services write them: whatever has failed is sent again. */
    static final class Everything implements HttpRequestRetryStrategy {
        @Override
        public boolean retryRequest(HttpRequest request, IOException failure, int count, HttpContext context) {
            // 5.0 cancels a request whose answer was there before execute() has returned.
            return count <= 3 && !(failure instanceof InterruptedIOException);
        }

        @Override
        public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
            return response.getCode() == 503 && count <= 1;
        }

        @Override
        public TimeValue getRetryInterval(HttpResponse response, int count, HttpContext context) {
            return TimeValue.ofMilliseconds(10);
        }
    }
}
