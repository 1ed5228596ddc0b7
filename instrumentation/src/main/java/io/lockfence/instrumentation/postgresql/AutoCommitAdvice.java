/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code PgConnection.setAutoCommit}, which calls {@code commit} itself. */
public final class AutoCommitAdvice {
    private AutoCommitAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This Object connection, @Advice.Argument(0) boolean on) {
        if (on && !LeaseContext.idle()) {
            Transactions.abandoned(connection);
        }
    }
}
