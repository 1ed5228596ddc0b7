/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import net.bytebuddy.asm.Advice;

/** {@code HikariPool.getConnection}: the service takes a connection out of the pool, and will use it next. */
public final class CheckoutAdvice {
    private CheckoutAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    public static void exit(@Advice.This Object pool) {
        Pools.met(pool);
    }
}
