/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import net.bytebuddy.asm.Advice;

/** A method that locks fence: refused before it runs. Like {@link MethodAdvice} these are but the shapes of the calls, linked to a {@link TargetSite}. */
public final class TargetAdvice {
    private TargetAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static boolean enter() {
        throw new IllegalStateException("not linked");
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.Enter boolean told) {
        throw new IllegalStateException("not linked");
    }
}
