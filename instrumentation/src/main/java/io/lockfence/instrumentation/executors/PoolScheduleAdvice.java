/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.Executor;
import java.util.concurrent.RunnableScheduledFuture;
import net.bytebuddy.asm.Advice;

/** {@code ScheduledThreadPoolExecutor.delayedExecute}: every task that is given to it, once. Names no class that is woven itself: it would be loaded while this one is, unwoven. */
public final class PoolScheduleAdvice {
    private PoolScheduleAdvice() {}

    @Advice.OnMethodEnter
    public static Object enter(@Advice.This Executor pool, @Advice.Argument(0) RunnableScheduledFuture<?> task) {
        return LeaseContext.idle() ? null : Submissions.scheduled(pool, task);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter Object submission, @Advice.Thrown Throwable thrown) {
        if (submission != null) {
            Submissions.returned(submission, thrown);
        }
    }
}
