/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;

/** Signals of {@code FluxReceive}: the body of a request that came in, or of an answer. What they set off runs under the leases of their request. */
public final class BodyAdvice {
    private BodyAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(@Advice.This Object body) {
        return Turn.ofBody(body);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false)
    public static void exit(@Advice.Enter Object turn) {
        Turn.end(turn);
    }
}
