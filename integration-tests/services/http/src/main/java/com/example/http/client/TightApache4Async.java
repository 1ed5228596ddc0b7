/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import org.apache.http.impl.nio.client.HttpAsyncClientBuilder;

/** With two connections and an answer to challenges. */
public final class TightApache4Async extends Apache4Async {
    public TightApache4Async() {
        super(HttpAsyncClientBuilder.create()
                .setMaxConnTotal(2)
                .setMaxConnPerRoute(2)
                .setDefaultCredentialsProvider(TightApache4Sync.credentials()));
    }
}
