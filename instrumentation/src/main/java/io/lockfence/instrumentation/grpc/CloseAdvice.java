/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ServerCallImpl.closeInternal}: the service has answered. */
public final class CloseAdvice {
    private CloseAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(
            @Advice.This Object call,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object status,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object trailers) {
        return Received.closing(call, status, trailers);
    }
}
