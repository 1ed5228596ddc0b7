/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All SQL that the protocol needs of one kind of database (DESIGN 2.2). Stateless, any thread; a connection is used by one thread at a time.
 *
 * <p>"Own" connections are the agent's: autocommit, READ COMMITTED. "Service" connections are the service's, whose transaction, timeouts and isolation
 * level apply. A {@link SQLException} is the database's own word: it cannot be told whether the lease holds.
 */
public interface FenceSql {
    /**
     * What the text of a statement does, as this database understands it. Linear in its length; callers keep the answer for texts that come again.
     *
     * @param sql one statement or several, with {@code ?} or {@code $1} for parameters
     */
    StatementKind kind(String sql);

    /** Idempotent SQL that creates or upgrades the fence table and its routines; can be sent as one string. */
    String ddl();

    /** Whether this user can claim and guard here. One round trip. */
    Readiness readiness(Connection own) throws SQLException;

    /**
     * Claims, as one autocommitted statement.
     *
     * @param durable whether the claim, new or already there, must survive a crash of the server once this has returned
     * @param waitMillis how long to wait for guards and other claims; 0 for one try
     */
    Claimed claim(Connection own, ClaimRequest request, boolean durable, int waitMillis) throws SQLException;

    /**
     * Claims inside the service's open transaction, as one try. Counts once that transaction has committed.
     *
     * @param previousLeaseIds the earlier leases of the same resource that this transaction guards
     */
    Claimed claimInTransaction(Connection service, ClaimRequest request, List<String> previousLeaseIds)
            throws SQLException;

    /**
     * The guard at commit: every fence holds its lease, and is kept so until the transaction ends.
     *
     * @param items at least one
     * @return what was found for items that are not enforced
     * @throws GuardFailedException if an enforced item's lease is dead
     * @throws SQLException anything else, unchanged
     */
    List<GuardFinding> guard(Connection service, List<GuardItem> items) throws SQLException, GuardFailedException;

    /** The guard and, behind it, the commit, in one message. As {@link #guard}; a failure of the commit is passed unchanged. */
    List<GuardFinding> guardAndCommit(Connection service, List<GuardItem> items)
            throws SQLException, GuardFailedException;

    /**
     * The guard before the lock is given back inside an open transaction. Fails the transaction only if the connection does.
     *
     * @param items at least one; whether they are enforced does not matter
     * @param waitMillis how long to wait, in all, for claims that are under way
     * @param idleMillis what the transaction's idle timeout becomes where a fence is kept, unless the service's own is shorter; 0 leaves it
     * @return one for each item, in their order
     */
    List<ReleaseGuard> guardAtRelease(Connection service, List<GuardItem> items, int waitMillis, int idleMillis)
            throws SQLException;

    /** The fence of a resource. On an own connection, or in a fresh transaction, it is the newest that was committed. */
    Optional<FenceRow> look(Connection connection, String resource) throws SQLException;

    /**
     * Whether another session keeps a snapshot now, whoever its user is. True as well if there is no such session, as behind a connection pooler.
     *
     * @param backendPid as the driver of that session knows it
     */
    boolean snapshotHeld(Connection own, int backendPid) throws SQLException;

    /** The isolation level of the open transaction, in lower case, such as {@code read committed}. One round trip, takes no snapshot. */
    String isolation(Connection service) throws SQLException;

    /** The names of the cursors of this session that were opened before an instant of the database's clock, WITH HOLD or not. One round trip. */
    List<String> cursorsBefore(Connection service, Instant instant) throws SQLException;
}
