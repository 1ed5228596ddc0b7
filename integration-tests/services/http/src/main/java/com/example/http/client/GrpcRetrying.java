/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import io.grpc.ManagedChannelBuilder;
import java.util.List;
import java.util.Map;

/** Unary calls that the channel tries again, by its service config, where the server is unavailable. */
public final class GrpcRetrying extends GrpcBlocking {
    @Override
    protected ManagedChannelBuilder<?> with(ManagedChannelBuilder<?> builder) {
        Map<String, ?> method = Map.of(
                "name",
                List.of(Map.of("service", "stock.Stock")),
                "retryPolicy",
                Map.of(
                        "maxAttempts",
                        4.0,
                        "initialBackoff",
                        "0.01s",
                        "maxBackoff",
                        "0.05s",
                        "backoffMultiplier",
                        1.0,
                        "retryableStatusCodes",
                        List.of("UNAVAILABLE")));
        return builder.enableRetry().defaultServiceConfig(Map.of("methodConfig", List.of(method)));
    }
}
