/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;

/** The constructor of {@code HttpClientHandler}: one for each subscription, which lives through all attempts. */
public final class RequestAdvice {
    private RequestAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object handler) {
        Requests.made(handler);
    }
}
