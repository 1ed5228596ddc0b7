/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import io.lockfence.bootstrap.Units;
import java.util.concurrent.Executor;
import net.bytebuddy.asm.Advice;

/** {@code CompletableFuture$UniCompletion.claim()}: whoever completes the future gives what is chained to it to its executor. */
public final class ClaimAdvice {
    private ClaimAdvice() {}

    @Advice.OnMethodEnter
    public static Object enter(@Advice.This Object completion, @Advice.FieldValue("executor") Executor executor) {
        return executor == null || LeaseContext.idle() ? null : Units.beginHandingOn(completion);
    }

    /** Others may try as well; the one that succeeds takes the executor out. */
    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(
            @Advice.Enter Object begun,
            @Advice.This Object completion,
            @Advice.FieldValue("executor") Executor executor) {
        if (begun != null) {
            Units.endTask(begun);
            if (executor == null) {
                Submissions.handedOn(completion);
            }
        }
    }
}
