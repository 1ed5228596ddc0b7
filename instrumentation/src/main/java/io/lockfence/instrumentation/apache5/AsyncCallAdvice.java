/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** The object that an asynchronous client makes for each call, on the service's thread. */
public final class AsyncCallAdvice {
    private AsyncCallAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object runtime) {
        if (!LeaseContext.idle()) {
            AsyncCalls.made(runtime);
        }
    }
}
