/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import org.apache.http.auth.AuthScope;
import org.apache.http.auth.UsernamePasswordCredentials;
import org.apache.http.client.CredentialsProvider;
import org.apache.http.impl.client.BasicCredentialsProvider;
import org.apache.http.impl.client.DefaultServiceUnavailableRetryStrategy;
import org.apache.http.impl.client.HttpClientBuilder;

/** With two connections, an answer to challenges, and retries of everything that fails. */
public final class TightApache4Sync extends Apache4Sync {
    public TightApache4Sync() {
        super(HttpClientBuilder.create()
                .setMaxConnTotal(2)
                .setMaxConnPerRoute(2)
                .setDefaultCredentialsProvider(credentials())
                .setRetryHandler((failure, count, context) -> count <= 3)
                .setServiceUnavailableRetryStrategy(new DefaultServiceUnavailableRetryStrategy(1, 10)));
    }

    static CredentialsProvider credentials() {
        BasicCredentialsProvider credentials = new BasicCredentialsProvider();
        credentials.setCredentials(AuthScope.ANY, new UsernamePasswordCredentials("user", "secret"));
        return credentials;
    }
}
