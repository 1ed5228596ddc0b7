/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.ThreadFactory;
import net.bytebuddy.asm.Advice;

/** Executors that start a thread for each task. */
public final class ThreadStartAdvice {
    private ThreadStartAdvice() {}

    /** {@code ThreadPerTaskExecutor.newThread}, JDK 21 and later: virtual threads and others. */
    public static final class PerTaskAdvice {
        private PerTaskAdvice() {}

        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This Object executor,
                @Advice.FieldValue("factory") ThreadFactory factory,
                @Advice.Argument(0) Runnable task) {
            if (!LeaseContext.idle()) {
                Submissions.startsThread(executor, factory, task);
            }
        }
    }

    /** {@code CompletableFuture}'s own, for machines with one processor; JDK 17 to 24. */
    public static final class OfFutureAdvice {
        private OfFutureAdvice() {}

        @Advice.OnMethodEnter
        public static void enter(@Advice.This Object executor, @Advice.Argument(0) Runnable task) {
            if (!LeaseContext.idle()) {
                Submissions.startsThread(executor, null, task);
            }
        }
    }
}
