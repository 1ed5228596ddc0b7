/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.processWorkerExit}: the worker ends, by a throw of its task or for want of tasks. */
public final class WorkerEndsAdvice {
    private WorkerEndsAdvice() {}

    @Advice.OnMethodEnter
    public static void enter() {
        if (!LeaseContext.idle()) {
            Units.unitOver();
        }
    }
}
