/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Whether an open transaction reads the database as it was before now: what it reads under a lease taken meanwhile may be stale. */
final class Snapshots {
    private static final Duration CONNECT = Duration.ofSeconds(2);

    /** A claim that is not there is later than every cursor. */
    private static final Instant NEVER = Instant.parse("9999-01-01T00:00:00Z");

    private final Database database;

    Snapshots(Database database) {
        this.database = database;
    }

    /** Asks the server for the isolation level, and under the stricter ones whether the transaction has taken its snapshot; what cannot be told is taken for yes. */
    boolean olderThanNow(Transaction transaction) throws SQLException {
        Connection service = transaction.connection();
        String isolation;
        transaction.session().ours = true;
        try {
            isolation = database.sql().isolation(service);
        } finally {
            transaction.session().ours = false;
        }
        if (isolation.startsWith("read ")) {
            return false;
        }
        int session = transaction.session().backend();
        if (session == 0) {
            return true;
        }
        try (Connection own = database.connect(CONNECT)) {
            return database.sql().snapshotHeld(own, session);
        } catch (SQLException e) {
            // On a connection of ours: what cannot be told is taken for yes.
            return true;
        }
    }

    /** The cursors that were opened before the lease was claimed: they show what was there then, at every isolation level. */
    List<String> cursorsBefore(FencedLease lease, Transaction transaction) throws SQLException {
        Connection service = transaction.connection();
        transaction.session().ours = true;
        try {
            Instant claimed = database.sql()
                    .look(service, lease.resource())
                    .filter(row -> row.leaseId().equals(lease.claimId()))
                    .map(FenceRow::claimedAt)
                    .orElse(NEVER);
            return database.sql().cursorsBefore(service, claimed);
        } finally {
            transaction.session().ours = false;
        }
    }
}
