/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** {@code ForkJoinPool$WorkQueue.topLevelExec}: a worker's turn, one submitted task and the pieces that it forked. */
public final class ForkJoinTurnAdvice {
    private ForkJoinTurnAdvice() {}

    @Advice.OnMethodEnter
    public static LeaseContext enter() {
        return LeaseContext.beginUnit();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter LeaseContext before) {
        if (before != null || !LeaseContext.idle()) {
            Units.end(before, null);
        }
    }
}
