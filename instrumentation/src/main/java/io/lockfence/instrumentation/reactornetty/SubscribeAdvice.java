/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code MonoHttpConnect.subscribe}: the service asks for a request. Under leases it is asked for again in its place, and this call is skipped. */
public final class SubscribeAdvice {
    private SubscribeAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.This Object request,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object subscriber) {
        return Requests.subscribing(request, subscriber);
    }
}
