/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** The client's own copy of the service's request, made for each call, on the service's thread. */
public final class RequestAdvice {
    private RequestAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object request) {
        if (!LeaseContext.idle()) {
            Requests.made(request);
        }
    }
}
