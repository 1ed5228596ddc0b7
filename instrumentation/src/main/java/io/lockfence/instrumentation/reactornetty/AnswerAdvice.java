/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpOperations.send}: the service's answer, status and headers done, is about to be written. */
public final class AnswerAdvice {
    private AnswerAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(
            @Advice.This Object operations, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object body) {
        return Received.answering(operations, body);
    }
}
