/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;

/** What becomes of a bug of ours: open for code outside any lease, closed for code under one. */
final class Faults {
    private Faults() {}

    /** Returns if the service may go on as if nothing had happened; throws on what the agent throws as a refusal. */
    static void passOrRefuse(PgSession session, Throwable thrown) throws SQLException {
        if (thrown instanceof SQLException refusal) {
            throw refusal;
        }
        boolean leased = LeaseContext.current().length > 0
                || (session != null && Seams.effects().bound(session));
        Seams.fault(thrown);
        if (leased) {
            throw refusal("it could not be checked that the lease still holds; nothing was sent", thrown);
        }
    }

    /** {@code LF004}, for what we ourselves did not get done. */
    static SQLException refusal(String what, Throwable cause) {
        String message = "Lockfence failed: " + what + ". Please report this with the log line of the fault.";
        return new SQLNonTransientException(
                message, Refusal.UNKNOWN.sqlState(), new FencedException(Refusal.UNKNOWN, null, message, cause));
    }
}
