/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code AsyncExecRuntime.fork()}: the call goes on, on another connection, with another object. */
public final class AsyncForkAdvice {
    private AsyncForkAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object runtime, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object fork) {
        AsyncCalls.forked(runtime, fork);
    }
}
