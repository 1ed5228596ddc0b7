/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code startCopy}: sends the COPY command; its data follows. */
public final class CopyStartAdvice {
    private CopyStartAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.AsScalar(skipOnDefaultValue = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(1))
    public static boolean enter(
            @Advice.This Object executor, @Advice.Argument(0) String sql, @Advice.Argument(1) boolean suppressBegin)
            throws Throwable {
        return LeaseContext.idle() ? suppressBegin : Subprotocols.startingCopy(executor, sql, suppressBegin);
    }

    // Not even idle is asked: what the entry began has to end.
    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object executor, @Advice.Return Object copy, @Advice.Thrown Throwable thrown)
            throws Throwable {
        Subprotocols.startedCopy(executor, copy, thrown);
    }
}
