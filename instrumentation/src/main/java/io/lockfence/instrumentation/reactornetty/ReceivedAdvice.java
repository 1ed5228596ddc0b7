/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpServerHandle.onStateChange}: a request reaches the service. Skipped while it waits for its reception, which may block; and if it is answered. */
public final class ReceivedAdvice {
    private ReceivedAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Boolean.class)
    public static Object enter(
            @Advice.This Object handle,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object connection,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object state) {
        return Received.arriving(handle, connection, state);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false)
    public static void exit(@Advice.Enter Object turn) {
        Turn.end(turn);
    }
}
