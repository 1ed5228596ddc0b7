/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * The methods of {@code ForkJoinPool} that all its others go through, by JDK. A signature that named {@code ForkJoinTask} would have it loaded while the pool's class is woven,
 * and the JVM shows no transformer what a transformer loads.
 */
public final class ForkJoinSubmitAdvice {
    private ForkJoinSubmitAdvice() {}

    /** JDK 17: {@code externalSubmit(task)}; later ones have it beside the other. */
    public static final class AloneAdvice {
        private AloneAdvice() {}

        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This Object pool,
                @Advice.FieldValue(value = "factory", typing = Assigner.Typing.DYNAMIC) Object factory,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object task) {
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
                @Advice.FieldValue(value = "factory", typing = Assigner.Typing.DYNAMIC) Object factory,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object task) {
            if (!LeaseContext.idle()) {
                Submissions.forked(pool, factory, task);
            }
        }
    }
}
