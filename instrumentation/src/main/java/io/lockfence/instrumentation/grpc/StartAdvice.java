/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ClientCallImpl.startInternal}: skipped where the call is refused, which is then closed as by its transport. */
public final class StartAdvice {
    private StartAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.This Object call,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object listener,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object headers)
            throws Throwable {
        return Calls.starting(call, listener, headers);
    }
}
