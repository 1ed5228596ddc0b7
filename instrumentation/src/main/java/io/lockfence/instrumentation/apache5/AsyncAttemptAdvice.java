/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The last link of an asynchronous client's chain: an attempt has its connection, and is put in that connection's queue. */
public final class AsyncAttemptAdvice {
    private AsyncAttemptAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
            @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object scope,
            @Advice.Argument(value = 4, typing = Assigner.Typing.DYNAMIC) Object callback)
            throws Throwable {
        return AsyncCalls.attempting(request, scope, callback);
    }
}
