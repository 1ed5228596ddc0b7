/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.RejectedExecutionHandler;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.reject}: no room for a task, or no pool any more. */
public final class PoolRejectAdvice {
    private PoolRejectAdvice() {}

    @Advice.OnMethodEnter
    public static void enter(
            @Advice.This Object pool,
            @Advice.FieldValue("handler") RejectedExecutionHandler handler,
            @Advice.Argument(0) Runnable task) {
        if (!LeaseContext.idle()) {
            Submissions.rejected(pool, handler, task);
        }
    }
}
