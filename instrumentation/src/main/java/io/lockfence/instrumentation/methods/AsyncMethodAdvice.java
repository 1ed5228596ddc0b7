/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** As {@link MethodAdvice}, for methods that return a {@code CompletionStage}: the service may get another one. */
public final class AsyncMethodAdvice {
    private AsyncMethodAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(
            @Advice.This(optional = true, typing = Assigner.Typing.DYNAMIC) Object self,
            @Advice.AllArguments(typing = Assigner.Typing.DYNAMIC) Object[] arguments) {
        throw new IllegalStateException("not linked");
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(
            @Advice.Enter Object call,
            @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object returned,
            @Advice.Thrown Throwable thrown) {
        throw new IllegalStateException("not linked");
    }
}
