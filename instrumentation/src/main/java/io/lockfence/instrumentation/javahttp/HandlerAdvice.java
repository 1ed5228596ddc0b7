/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The handler of the answer's body that the service gives to {@code sendAsync}: called back on threads of the client. */
public final class HandlerAdvice {
    private HandlerAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 1, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(@Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object handler) {
        return LeaseContext.idle() ? null : Requests.handling(handler);
    }
}
