/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** {@code ForkJoinTask.doExec()}: every task of a {@code ForkJoinPool}, submitted or forked, whoever runs it. */
public final class ForkJoinTaskAdvice {
    private ForkJoinTaskAdvice() {}

    @Advice.OnMethodEnter
    public static Object enter(@Advice.This Object task) {
        return LeaseContext.idle() ? null : Units.beginTask(task);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter Object begun) {
        if (begun != null) {
            Units.endTask(begun);
        }
    }
}
