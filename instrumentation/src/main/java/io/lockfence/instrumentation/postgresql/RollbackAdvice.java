/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code PgConnection.rollback} of the whole transaction; the one to a savepoint passes {@code execute}. */
public final class RollbackAdvice {
    private RollbackAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object connection) {
        if (!LeaseContext.idle()) {
            Transactions.rolledBack(connection);
        }
    }
}
