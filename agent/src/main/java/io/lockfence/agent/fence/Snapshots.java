/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Whether an open transaction reads the database as it was before now: what it reads under a lease taken meanwhile may be stale. */
final class Snapshots {
    private static final Duration CONNECT = Duration.ofSeconds(2);

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
        }
    }

    /** The cursors that are open now: what is fetched from them under a lease taken meanwhile may be stale. */
    List<String> openCursors(Transaction transaction) throws SQLException {
        transaction.session().ours = true;
        try {
            return database.sql().openCursors(transaction.connection());
        } finally {
            transaction.session().ours = false;
        }
    }
}
