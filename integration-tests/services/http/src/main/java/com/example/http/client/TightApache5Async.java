/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;

/** With two connections, an answer to challenges, and retries of everything that fails. */
public final class TightApache5Async extends Apache5Async {
    public TightApache5Async() {
        super(HttpAsyncClientBuilder.create()
                .setConnectionManager(connections())
                .setDefaultCredentialsProvider(TightApache5Sync.credentials())
                .setRetryStrategy(new TightApache5Sync.Everything()));
    }

    private static PoolingAsyncClientConnectionManager connections() {
        PoolingAsyncClientConnectionManager connections = new PoolingAsyncClientConnectionManager();
        connections.setMaxTotal(2);
        connections.setDefaultMaxPerRoute(2);
        return connections;
    }
}
