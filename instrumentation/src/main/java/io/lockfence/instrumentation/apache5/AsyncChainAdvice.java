/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code AsyncExecChainElement.execute}: the first of them on the service's thread, before a connection is asked for. */
public final class AsyncChainAdvice {
    private AsyncChainAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
            @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object scope,
            @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object callback)
            throws Throwable {
        return AsyncCalls.calling(request, scope, callback);
    }
}
