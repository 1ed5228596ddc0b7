/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;

/** {@code HttpClientOperations.beforeMarkSentHeaders}: what comes next is written; the service's own headers are there. */
public final class HeadersAdvice {
    private HeadersAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object operations) {
        Requests.writing(operations);
    }
}
