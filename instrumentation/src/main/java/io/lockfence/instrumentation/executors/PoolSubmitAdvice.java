/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.ThreadFactory;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.execute}: {@code submit}, {@code invokeAll} and {@code invokeAny} come here too. */
public final class PoolSubmitAdvice {
    private PoolSubmitAdvice() {}

    @Advice.OnMethodEnter
    public static Object enter(
            @Advice.This Object pool,
            @Advice.FieldValue("threadFactory") ThreadFactory factory,
            @Advice.Argument(0) Runnable task) {
        return LeaseContext.idle() ? null : Submissions.submitted(pool, factory, task);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter Object submission, @Advice.Thrown Throwable thrown) {
        if (submission != null) {
            Submissions.returned(submission, thrown);
        }
    }
}
