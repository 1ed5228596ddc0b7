/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code generateRequest}, on the connection's thread: what is written next. */
public final class AsyncRequestAdvice {
    private AsyncRequestAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(
            @Advice.This Object handler, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object request)
            throws IOException {
        AsyncCalls.writing(handler, request);
    }
}
