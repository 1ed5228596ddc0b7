/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/**
 * The method by which a library's own thread pool runs one task: a unit of work. Pools of containers have more than one thread, and
 * what a task leaves is always set aside. Inlined, since it is on the path of every task.
 */
public final class PoolTaskAdvice {
    private PoolTaskAdvice() {}

    @Advice.OnMethodEnter
    public static LeaseContext enter() {
        return LeaseContext.beginUnit();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter LeaseContext before) {
        Units.end(before, null);
    }
}
