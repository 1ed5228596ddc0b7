/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code fetch}: more rows of a streaming result. */
public final class FetchAdvice {
    private FetchAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This Object executor, @Advice.Argument(0) Object portal) throws Throwable {
        if (!LeaseContext.idle()) {
            Portals.fetching(executor, portal);
        }
    }
}
