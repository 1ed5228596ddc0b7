/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code forceUnlockAsync()} and {@code deleteAsync()}: the lock is taken away from whoever holds it. */
public final class DestructionAdvice {
    private DestructionAdvice() {}

    @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
    public static Object enter(@Advice.This Object lock) {
        return Changes.destroying(lock);
    }

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit(
            @Advice.Enter Object change, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
        Changes.sent(change, future);
    }
}
