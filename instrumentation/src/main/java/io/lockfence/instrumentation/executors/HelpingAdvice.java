/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import net.bytebuddy.asm.Advice;

/** A thread that waits for a task runs others meanwhile, whosever they are. */
public final class HelpingAdvice {
    private HelpingAdvice() {}

    @Advice.OnMethodEnter
    public static Object enter() {
        return LeaseContext.idle() ? null : Units.beginHelping();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    public static void exit(@Advice.Enter Object begun) {
        if (begun != null) {
            Units.endTask(begun);
        }
    }
}
