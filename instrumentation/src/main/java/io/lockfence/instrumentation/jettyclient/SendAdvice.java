/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import net.bytebuddy.asm.Advice;

/** The service sends a request; or Jetty does, after a redirect or a challenge. */
public final class SendAdvice {
    private SendAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(@Advice.This Object request) {
        return Conversations.sending(request);
    }

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object request, @Advice.Enter Object refusal) {
        Conversations.sent(request, refusal);
    }
}
