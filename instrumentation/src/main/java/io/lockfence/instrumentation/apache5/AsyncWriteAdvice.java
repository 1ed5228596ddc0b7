/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code commitRequest}, on the connection's thread: the request is about to be written. */
public final class AsyncWriteAdvice {
    private AsyncWriteAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request)
            throws Throwable {
        AsyncCalls.writing(request);
    }
}
