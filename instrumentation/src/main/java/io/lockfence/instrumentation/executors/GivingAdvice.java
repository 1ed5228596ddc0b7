/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import net.bytebuddy.asm.Advice;

/** Methods that put the service's work into a task of another class, which hides whose it is. */
public final class GivingAdvice {
    private GivingAdvice() {}

    /** Of executors, whatever makes their threads. */
    public static final class OfExecutorAdvice {
        private OfExecutorAdvice() {}

        @Advice.OnMethodEnter
        public static Object enter(@Advice.This Object executor, @Advice.Argument(0) Object work) {
            return LeaseContext.idle() ? null : Submissions.giving(executor, null, work);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object giving) {
            if (giving != null) {
                Submissions.given(giving);
            }
        }
    }

    /** Of a {@code ForkJoinPool}: that of virtual threads gets all their turns. */
    public static final class OfForkJoinAdvice {
        private OfForkJoinAdvice() {}

        @Advice.OnMethodEnter
        public static Object enter(
                @Advice.This Object pool,
                @Advice.FieldValue("factory") ForkJoinWorkerThreadFactory factory,
                @Advice.Argument(0) Object work) {
            return LeaseContext.idle() ? null : Submissions.giving(pool, factory, work);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object giving) {
            if (giving != null) {
                Submissions.given(giving);
            }
        }
    }

    /** {@code ScheduledThreadPoolExecutor.schedule}. */
    public static final class OfTimerAdvice {
        private OfTimerAdvice() {}

        @Advice.OnMethodEnter
        public static Object enter(@Advice.This Executor executor, @Advice.Argument(0) Object work) {
            return LeaseContext.idle() ? null : Submissions.givingToTimer(executor, work);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object giving) {
            if (giving != null) {
                Submissions.given(giving);
            }
        }
    }

    /** {@code CompletableFuture.asyncSupplyStage} and {@code asyncRunStage}. */
    public static final class OfStageAdvice {
        private OfStageAdvice() {}

        @Advice.OnMethodEnter
        public static Object enter(@Advice.Argument(0) Executor executor, @Advice.Argument(1) Object work) {
            return LeaseContext.idle() ? null : Submissions.giving(executor, null, work);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object giving) {
            if (giving != null) {
                Submissions.given(giving);
            }
        }
    }
}
