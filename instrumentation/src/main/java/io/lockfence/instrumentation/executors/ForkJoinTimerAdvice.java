/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.Callable;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The constructor of what JDK 25's {@code ForkJoinPool} schedules. */
public final class ForkJoinTimerAdvice {
    private ForkJoinTimerAdvice() {}

    @Advice.OnMethodExit
    public static void exit(
            @Advice.This Object task,
            @Advice.Argument(1) long nextDelay,
            @Advice.Argument(3) Runnable runnable,
            @Advice.Argument(4) Callable<?> callable,
            @Advice.Argument(value = 5, typing = Assigner.Typing.DYNAMIC) Object pool) {
        if (!LeaseContext.idle()) {
            Submissions.delayed(pool, task, nextDelay != 0, runnable, callable);
        }
    }
}
