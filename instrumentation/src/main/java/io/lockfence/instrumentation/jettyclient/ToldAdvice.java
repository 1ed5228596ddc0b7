/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.instrumentation.Callbacks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** A listener is told of a request, of a response, or of the result: under the leases of the conversation. */
public final class ToldAdvice {
    private ToldAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(@Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object subject) {
        return Conversations.told(subject);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.Enter Object begun) {
        Callbacks.end(begun);
    }
}
