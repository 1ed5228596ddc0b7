/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;

/** {@code HttpClientOperations.onOutboundError}: a refusal was thrown where only unchecked exceptions are expected. */
public final class UnwrapAdvice {
    private UnwrapAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
    public static Throwable enter(@Advice.Argument(0) Throwable error) {
        return Requests.unwrap(error);
    }
}
