/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Seams;
import java.sql.Connection;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** How transactions end at the driver's own API. */
final class Transactions {
    private Transactions() {}

    static void committing(Object connection) throws Throwable {
        PgSession session = null;
        try {
            session = Sessions.ofConnection(connection);
            if (session == null || session.ours || session.closed() || autoCommit(connection)) {
                return;
            }
            Seams.effects().committing(session);
        } catch (Throwable t) {
            Faults.passOrRefuse(session, t);
        }
    }

    static void rolledBack(Object connection) {
        try {
            PgSession session = Sessions.ofConnection(connection);
            if (session != null && !session.ours) {
                Seams.effects().rolledBack(session);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    static void abandoned(Object connection) {
        try {
            PgSession session = Sessions.ofConnection(connection);
            if (session != null && !session.ours) {
                Seams.effects().abandoned(session);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * A refusal is wrapped by the driver as a failure of the resource manager, after which transaction managers ask again or report a
     * heuristic outcome. It is a rollback, and is said to be one; the driver's resource is told so too, or it could begin no other branch.
     * In older versions it thinks by then that the branch has ended well, and only its connection can be told.
     */
    static void branchFailed(Object resource, Object xid, Throwable thrown) {
        if (thrown instanceof XAException failure && isRefusal(failure)) {
            failure.errorCode = XAException.XA_RBROLLBACK;
            try {
                ((XAResource) resource).rollback((Xid) xid);
            } catch (XAException unknownBranch) {
                rollBack(resource);
            }
        }
    }

    private static void rollBack(Object resource) {
        try {
            Connection connection = Pgjdbc.of(resource).connectionOf(resource);
            if (connection != null && !connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException gone) {
            // With the connection, its transaction has gone too.
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static boolean isRefusal(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof FencedException) {
                return true;
            }
        }
        return false;
    }

    private static boolean autoCommit(Object connection) throws SQLException {
        return ((Connection) connection).getAutoCommit();
    }
}
