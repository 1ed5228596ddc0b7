/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import io.grpc.CallOptions;
import java.util.concurrent.TimeUnit;

/** Unary calls with a deadline of a second. */
public final class GrpcDeadline extends GrpcBlocking {
    @Override
    protected CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.SECONDS);
    }
}
