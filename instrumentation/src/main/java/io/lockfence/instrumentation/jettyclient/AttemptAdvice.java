/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpConnection.send(channel, exchange)}: a connection is about to write a request. One that was aborted here gives its channel back. */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object exchange) {
        Conversations.attempting(exchange);
    }
}
