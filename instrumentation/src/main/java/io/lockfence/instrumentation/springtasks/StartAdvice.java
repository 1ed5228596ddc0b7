/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.springtasks;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** {@code SimpleAsyncTaskExecutor.doExecute}: it hands the task to a new thread, and nothing of the executor's runs there. */
public final class StartAdvice {
    private StartAdvice() {}

    @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
    public static Runnable enter(@Advice.This Object executor, @Advice.Argument(0) Runnable task) {
        if (LeaseContext.idle()) {
            return task;
        }
        Lease[] leases = Submissions.inheritedBy(executor.getClass(), task.getClass());
        return leases.length == 0 ? task : () -> Units.runInTurn(leases, task);
    }
}
