/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import java.util.concurrent.ForkJoinTask;
import net.bytebuddy.asm.Advice;

/** The methods of {@code ForkJoinPool} that all its others go through, by JDK. */
public final class ForkJoinSubmitAdvice {
    private ForkJoinSubmitAdvice() {}

    /** JDK 17: {@code externalSubmit(task)}; later ones have it beside the other. */
    public static final class AloneAdvice {
        private AloneAdvice() {}

        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This Object pool,
                @Advice.FieldValue("factory") ForkJoinWorkerThreadFactory factory,
                @Advice.Argument(0) ForkJoinTask<?> task) {
            if (!LeaseContext.idle()) {
                Submissions.forked(pool, factory, task);
            }
        }
    }

    /** JDK 19 and later: {@code poolSubmit(signal, task)}. */
    public static final class SignallingAdvice {
        private SignallingAdvice() {}

        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This Object pool,
                @Advice.FieldValue("factory") ForkJoinWorkerThreadFactory factory,
                @Advice.Argument(1) ForkJoinTask<?> task) {
            if (!LeaseContext.idle()) {
                Submissions.forked(pool, factory, task);
            }
        }
    }
}
