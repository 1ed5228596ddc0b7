/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.List;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.drainQueue}: {@code shutdownNow} gives tasks back that have not begun. */
public final class PoolDrainAdvice {
    private PoolDrainAdvice() {}

    @Advice.OnMethodExit
    public static void exit(@Advice.This Object pool, @Advice.Return List<Runnable> tasks) {
        if (!LeaseContext.idle()) {
            Submissions.removedAll(pool, tasks);
        }
    }
}
