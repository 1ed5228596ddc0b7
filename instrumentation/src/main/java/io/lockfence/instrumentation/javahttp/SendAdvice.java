/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import net.bytebuddy.asm.Advice;

/** {@code send}, which wraps whatever made its future fail. */
public final class SendAdvice {
    private SendAdvice() {}

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    @Advice.AssignReturned.ToThrown
    public static Throwable exit(@Advice.Thrown Throwable thrown) {
        return thrown == null ? null : Requests.unwrapped(thrown);
    }
}
