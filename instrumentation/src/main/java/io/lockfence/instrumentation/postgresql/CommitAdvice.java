/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code PgConnection.commit}: the place where guard and COMMIT fit into one message. */
public final class CommitAdvice {
    private CommitAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This Object connection) throws Throwable {
        if (!LeaseContext.idle()) {
            Transactions.committing(connection);
        }
    }
}
