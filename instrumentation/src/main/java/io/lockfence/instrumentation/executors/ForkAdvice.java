/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import net.bytebuddy.asm.Advice;

/** {@code ForkJoinTask.fork()}. */
public final class ForkAdvice {
    private ForkAdvice() {}

    @Advice.OnMethodEnter
    public static void enter(@Advice.This Object task) {
        if (!LeaseContext.idle()) {
            Submissions.forked(task);
        }
    }
}
