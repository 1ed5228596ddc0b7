/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code unlockAsync(threadId)}, which {@code unlock()} calls on the caller's thread. */
public final class ReleaseAdvice {
    private ReleaseAdvice() {}

    @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
    public static Object enter(@Advice.This Object lock, @Advice.Argument(0) long threadId) {
        return Releases.releasing(lock, threadId);
    }

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit(
            @Advice.Enter Object release, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
        Releases.sent(release, future);
    }
}
