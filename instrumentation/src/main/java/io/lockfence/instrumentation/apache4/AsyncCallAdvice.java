/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The object that an asynchronous client makes for each call, on the service's thread. */
public final class AsyncCallAdvice {
    private AsyncCallAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(
            @Advice.This Object handler, @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object context) {
        if (!LeaseContext.idle()) {
            AsyncCalls.made(handler, context);
        }
    }
}
