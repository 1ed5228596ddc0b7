/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * A method that a rule names. These are but the shapes of the calls: they are linked to the {@link Site} that was compiled for the method
 * ({@link MethodLinks}).
 */
public final class MethodAdvice {
    private MethodAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(
            @Advice.This(optional = true, typing = Assigner.Typing.DYNAMIC) Object self,
            @Advice.AllArguments(typing = Assigner.Typing.DYNAMIC) Object[] arguments) {
        throw new IllegalStateException("not linked");
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(
            @Advice.Enter Object call,
            @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object returned,
            @Advice.Thrown Throwable thrown) {
        throw new IllegalStateException("not linked");
    }
}
