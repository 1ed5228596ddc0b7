/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code resetThreadLocalValue(accessor, previous)} of scopes that are closed: they call what begins a scope as well, or {@code reset()}. */
public final class PutBackAdvice {
    private PutBackAdvice() {}

    @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object accessor,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object previous) {
        return Accessor.putBack(accessor, previous);
    }
}
