/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code fastpathCall}: a function called by its number, as large objects do. */
public final class FastpathAdvice {
    private FastpathAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.AsScalar(skipOnDefaultValue = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(2))
    public static boolean enter(@Advice.This Object executor, @Advice.Argument(2) boolean suppressBegin)
            throws Throwable {
        return LeaseContext.idle() ? suppressBegin : Subprotocols.calling(executor, suppressBegin);
    }

    // Not even idle is asked: what the entry began has to end.
    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object executor, @Advice.Thrown Throwable thrown) throws Throwable {
        Subprotocols.called(executor, thrown);
    }
}
