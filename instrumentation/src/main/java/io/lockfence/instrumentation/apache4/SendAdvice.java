/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.LeaseContext;
import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpRequestExecutor.execute}: the connection is there, and interceptors have had their say. */
public final class SendAdvice {
    private SendAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static boolean enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
            @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object context)
            throws IOException {
        return !LeaseContext.idle() && Calls.CLASSIC.sending(request, context);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(
            @Advice.Enter boolean marked,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
        if (marked) {
            Calls.CLASSIC.sent(request);
        }
    }
}
