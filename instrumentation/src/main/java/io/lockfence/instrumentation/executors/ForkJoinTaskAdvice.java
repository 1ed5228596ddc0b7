/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/**
 * A submitted task of a {@code ForkJoinPool}. Pieces of recursive work ({@code RecursiveTask}, streams) are no units: they belong to
 * the task that waits for them.
 */
public final class ForkJoinTaskAdvice {
    private ForkJoinTaskAdvice() {}

    @Advice.OnMethodEnter
    public static LeaseContext enter() {
        return LeaseContext.idle() ? null : Units.beginTask();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter LeaseContext before) {
        if (before != null || !LeaseContext.idle()) {
            Units.endTask(before);
        }
    }
}
