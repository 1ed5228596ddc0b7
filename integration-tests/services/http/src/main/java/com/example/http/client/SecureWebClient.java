/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import reactor.netty.http.HttpProtocol;

/** Spring's WebClient over TLS and HTTP/2. */
public final class SecureWebClient extends WebClientBlocking {
    public SecureWebClient() {
        super(client -> client.protocol(HttpProtocol.H2).secure());
    }
}
