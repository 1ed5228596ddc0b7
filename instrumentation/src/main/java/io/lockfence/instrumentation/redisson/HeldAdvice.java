/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;

/** {@code isHeldByThread}, which {@code isHeldByCurrentThread()} calls: services ask it before they unlock. */
public final class HeldAdvice {
    private HeldAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit(@Advice.This Object lock, @Advice.Argument(0) long threadId, @Advice.Return boolean held) {
        if (!held) {
            Releases.told(lock, threadId);
        }
    }
}
