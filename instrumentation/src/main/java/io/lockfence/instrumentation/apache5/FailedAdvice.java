/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;

/** {@code BasicFuture.failed}: what the service's future and its callback get. */
public final class FailedAdvice {
    private FailedAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
    public static Exception enter(@Advice.Argument(0) Exception failure) {
        return AsyncCalls.forService(failure);
    }
}
