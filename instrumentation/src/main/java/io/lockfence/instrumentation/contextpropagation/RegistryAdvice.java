/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import net.bytebuddy.asm.Advice;

/** {@code ContextRegistry.loadThreadLocalAccessors()}: the registry gets the accessors that it finds on the class path, and ours. */
public final class RegistryAdvice {
    private RegistryAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit(@Advice.This Object registry) throws Throwable {
        Accessor.register(registry);
    }
}
