/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import net.bytebuddy.asm.Advice;

/** {@code HttpClientOperations.onOutboundComplete}: writes the head of a request that has sent nothing; nobody would catch a refusal there. */
public final class EmptyRequestAdvice {
    private EmptyRequestAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(@Advice.This Object operations) throws Throwable {
        return Requests.completing(operations);
    }
}
