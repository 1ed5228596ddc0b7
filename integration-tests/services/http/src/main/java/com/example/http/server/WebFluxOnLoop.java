/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Reply;
import reactor.core.publisher.Mono;

/** The same, with handlers that run where the body arrives: on the event loop. */
public final class WebFluxOnLoop extends WebFluxServer {
    @Override
    protected Mono<Reply> handled(Mono<Reply> work) {
        return work;
    }
}
