/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ManagedChannelImpl.newCall}: the service asks for a call. Its options carry from here on what it was asked for under. */
public final class NewCallAdvice {
    private NewCallAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 1, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(
            @Advice.This Object channel,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object method,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object options) {
        return Calls.asked(channel, method, options);
    }
}
