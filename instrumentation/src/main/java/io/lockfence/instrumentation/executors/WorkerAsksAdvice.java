/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import java.util.concurrent.BlockingQueue;
import net.bytebuddy.asm.Advice;

/** {@code ThreadPoolExecutor.getTask()}: the worker's previous task is over, {@code afterExecute} included, and the next one begins. */
public final class WorkerAsksAdvice {
    private WorkerAsksAdvice() {}

    /** Reads the pool's fields: its getters may be the service's own. */
    @Advice.OnMethodEnter
    public static void enter(
            @Advice.FieldValue("corePoolSize") int core,
            @Advice.FieldValue("maximumPoolSize") int maximum,
            @Advice.FieldValue("workQueue") BlockingQueue<Runnable> queue) {
        if (!LeaseContext.idle()) {
            Units.workerAsks(core, maximum, queue);
        }
    }

    @Advice.OnMethodExit
    public static void exit(
            @Advice.This Object pool,
            @Advice.FieldValue("workQueue") BlockingQueue<Runnable> queue,
            @Advice.Return Runnable task) {
        if (!LeaseContext.idle()) {
            Units.taskBegins(pool, queue, task);
        }
    }
}
