/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import java.io.IOException;
import net.bytebuddy.asm.Advice;

/** {@code getResponseWithInterceptorChain}: the call is run, by the service or by the dispatcher. */
public final class ChainAdvice {
    private ChainAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This Object call) throws IOException {
        Calls.running(call);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object call) {
        Calls.ended(call);
    }
}
