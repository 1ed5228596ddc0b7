/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** The method in which a worker of a library's own thread pool waits for its next task, or ends: the unit before it is over. */
public final class PoolWorkerAdvice {
    private PoolWorkerAdvice() {}

    @Advice.OnMethodEnter
    public static void enter() {
        if (!LeaseContext.idle()) {
            Units.unitOver();
        }
    }
}
