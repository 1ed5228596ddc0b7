/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.kotlin;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code newCoroutineContext}: a coroutine is about to begin. */
public final class NewContextAdvice {
    private NewContextAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(
            @Advice.Origin Class<?> library,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object origin,
            @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object context) {
        return LeaseContext.idle() && !Coroutines.everLeased()
                ? context
                : Coroutines.of(library).withLeases(origin, context);
    }
}
