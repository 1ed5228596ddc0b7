/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code execute} of several queries: all batches; see {@link Statements} for what becomes of the flags. */
public final class BatchAdvice {
    private BatchAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.AsScalar(skipOnDefaultValue = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(5))
    public static int enter(
            @Advice.This Object executor, @Advice.Argument(0) Object[] queries, @Advice.Argument(5) int flags)
            throws Throwable {
        return LeaseContext.idle() ? flags : Statements.sending(executor, queries, flags);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object executor, @Advice.Enter int flags, @Advice.Thrown Throwable thrown)
            throws Throwable {
        Statements.sent(executor, flags, thrown);
    }
}
