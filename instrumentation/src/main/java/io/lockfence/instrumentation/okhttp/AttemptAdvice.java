/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code CallServerInterceptor.intercept}: the connection is there; below the interceptors of the service, redirects and retries. */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static boolean enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object chain)
            throws IOException {
        return Calls.attempting(chain);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.Enter boolean leased) {
        Calls.attempted(leased);
    }
}
