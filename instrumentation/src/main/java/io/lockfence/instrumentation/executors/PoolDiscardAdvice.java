/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.ThreadPoolExecutor;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.DiscardOldestPolicy}, which does not tell what it has discarded: done in its place while leases are about. */
public final class PoolDiscardAdvice {
    private PoolDiscardAdvice() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(@Advice.Argument(0) Runnable task, @Advice.Argument(1) ThreadPoolExecutor pool) {
        if (LeaseContext.idle() || pool.isShutdown()) {
            return false;
        }
        Submissions.discardOldest(pool, task);
        return true;
    }
}
