/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code newStream} of a transport: an attempt, after all waiting for name, connection and credentials. Refused, it gets a stream that fails. */
public final class NewStreamAdvice {
    private NewStreamAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static Object enter(
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object headers,
            @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object options,
            @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object tracers)
            throws Throwable {
        return Calls.attempting(headers, options, tracers);
    }

    @Advice.OnMethodExit(inline = false)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(@Advice.Enter Object failing) {
        return failing;
    }
}
