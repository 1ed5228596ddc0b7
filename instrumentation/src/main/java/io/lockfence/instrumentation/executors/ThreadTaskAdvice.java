/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** {@code run()} of tasks that may have a thread of their own. */
public final class ThreadTaskAdvice {
    private ThreadTaskAdvice() {}

    @Advice.OnMethodEnter
    public static boolean enter(@Advice.This Object task) {
        return !LeaseContext.idle() && Units.threadsTaskBegins(task);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter boolean begun) {
        if (begun) {
            Units.threadsTaskEnds();
        }
    }
}
