/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.BlockingQueue;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.remove}. */
public final class PoolRemoveAdvice {
    private PoolRemoveAdvice() {}

    @Advice.OnMethodExit
    public static void exit(
            @Advice.This Object pool,
            @Advice.FieldValue("workQueue") BlockingQueue<Runnable> queue,
            @Advice.Argument(0) Runnable task,
            @Advice.Return boolean removed) {
        if (removed && !LeaseContext.idle()) {
            Submissions.removed(pool, queue, task);
        }
    }
}
