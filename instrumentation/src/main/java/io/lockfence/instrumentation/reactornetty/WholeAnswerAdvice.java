/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpServerOperations.newFullBodyMessage}: an answer that is written at once, without a body of the service's or with all of it. */
public final class WholeAnswerAdvice {
    private WholeAnswerAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(
            @Advice.This Object operations, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object body) {
        return Received.completing(operations, body);
    }
}
