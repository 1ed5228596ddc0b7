/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;

/** {@code PgConnection.close}, which since 42.7 does not call the executor's. */
public final class ConnectionCloseAdvice {
    private ConnectionCloseAdvice() {}

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This Object connection) {
        // Idle or not: connections are counted from their opening on.
        Sessions.connectionClosed(connection);
    }
}
