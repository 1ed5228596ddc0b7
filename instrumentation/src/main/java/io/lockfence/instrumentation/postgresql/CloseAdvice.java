/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;

/** {@code close} and {@code abort} of the executor: by the service, or by the driver after an I/O error. */
public final class CloseAdvice {
    private CloseAdvice() {}

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object executor) {
        // Idle or not: connections are counted from their opening on.
        Sessions.closed(executor);
    }
}
