/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import java.util.concurrent.ThreadPoolExecutor;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor$Worker.run()}: a thread begins with the task that it was started for. */
public final class WorkerBeginsAdvice {
    private WorkerBeginsAdvice() {}

    @Advice.OnMethodEnter
    public static void enter(
            @Advice.FieldValue("this$0") ThreadPoolExecutor pool, @Advice.FieldValue("firstTask") Runnable task) {
        if (!LeaseContext.idle()) {
            Units.firstTaskBegins(pool, task);
        }
    }
}
