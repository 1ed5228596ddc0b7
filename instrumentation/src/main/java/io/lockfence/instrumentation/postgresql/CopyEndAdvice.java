/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;

/** {@code endCopy} and {@code cancelCopy}. */
public final class CopyEndAdvice {
    private CopyEndAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static boolean enter(@Advice.This Object executor) throws Throwable {
        return Subprotocols.endingCopy(executor);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(
            @Advice.This Object executor,
            @Advice.Enter boolean held,
            @Advice.Origin("#m") String method,
            @Advice.Thrown Throwable thrown)
            throws Throwable {
        Subprotocols.endedCopy(executor, held, method.equals("cancelCopy"), thrown);
    }
}
