/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import net.bytebuddy.asm.Advice;

/** Constructors of the clients: what is woven into these is there, whatever became of its methods. */
public final class MadeAdvice {
    private MadeAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit() {}
}
