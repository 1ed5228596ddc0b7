/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.Answer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code startWrappedCall}: the first that the service sees of a call, interceptors too. Skipped where the call is answered for it. */
public final class ReceivedAdvice {
    private ReceivedAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Answer.class)
    public static Object enter(
            @Advice.Argument(0) String method,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object parameters,
            @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object headers) {
        return Received.starting(method, parameters, headers);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(
            @Advice.Enter Object entered,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object parameters,
            @Advice.Thrown Throwable thrown) {
        return Received.started(entered, parameters, thrown);
    }
}
