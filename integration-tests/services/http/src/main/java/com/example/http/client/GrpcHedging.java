/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import io.grpc.ManagedChannelBuilder;
import java.util.List;
import java.util.Map;

/** Unary calls of which the channel sends more, by its service config, before the first is answered. */
public final class GrpcHedging extends GrpcBlocking {
    @Override
    protected ManagedChannelBuilder<?> with(ManagedChannelBuilder<?> builder) {
        Map<String, ?> method = Map.of(
                "name",
                List.of(Map.of("service", "stock.Stock")),
                "hedgingPolicy",
                Map.of("maxAttempts", 3.0, "hedgingDelay", "0.02s", "nonFatalStatusCodes", List.of("UNAVAILABLE")));
        return builder.enableRetry().defaultServiceConfig(Map.of("methodConfig", List.of(method)));
    }
}
