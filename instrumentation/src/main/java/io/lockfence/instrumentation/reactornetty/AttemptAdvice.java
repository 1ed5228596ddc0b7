/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpClientHandler.requestWithBody}: an attempt has its connection. Where it is refused, an error takes the place of its body. */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static Object enter(
            @Advice.This Object handler,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object operations)
            throws Throwable {
        return Requests.attempting(handler, operations);
    }

    @Advice.OnMethodExit(inline = false)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(@Advice.Enter Object refused) {
        return refused;
    }
}
