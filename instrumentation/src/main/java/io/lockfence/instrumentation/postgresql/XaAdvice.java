/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;

/** {@code PGXAConnection.prepare} and {@code commit}. */
public final class XaAdvice {
    private XaAdvice() {}

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(
            @Advice.This Object resource, @Advice.Argument(0) Object xid, @Advice.Thrown Throwable thrown) {
        if (thrown != null) {
            Transactions.branchFailed(resource, xid, thrown);
        }
    }
}
