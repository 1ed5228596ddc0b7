/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;

/** {@code readFromCopy}: a row of COPY TO STDOUT was read, or its end. */
public final class CopyReadAdvice {
    private CopyReadAdvice() {}

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object executor, @Advice.Thrown Throwable thrown) throws Throwable {
        // Idle or not: the lease may have ended during the COPY, and its entry in the books must end with it.
        Subprotocols.readCopy(executor, thrown);
    }
}
