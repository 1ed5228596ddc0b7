/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import io.grpc.CallOptions;
import java.util.concurrent.TimeUnit;

/** Unary calls with a deadline of five seconds. */
public final class GrpcDeadline extends GrpcBlocking {
    @Override
    protected CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(5, TimeUnit.SECONDS);
    }
}
