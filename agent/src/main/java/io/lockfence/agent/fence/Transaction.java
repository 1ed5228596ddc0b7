/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Refused;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The books on one connection: the list of leases that its open transaction is under, and what was sent in it (DESIGN P4).
 *
 * <p>Used by the thread that uses the connection; it may be closed by any thread, so the list is replaced and never changed.
 */
final class Transaction {
    private static final FencedLease[] NONE = {};

    private final Session session;
    private final Database database;
    private final GuardingTransactions guarding;
    private final Set<Transaction> open;
    /** Whether the rules say something of writes under no lease. */
    private final boolean everyWrite;

    private volatile FencedLease[] list = NONE;
    /** Leases whose place on the list was taken by a claim in this transaction; a rollback that undoes the claim puts them back. */
    private volatile FencedLease[] superseded = NONE;

    private final Set<String> fencesHeld = new HashSet<>();
    private final Set<String> claimedInside = new HashSet<>();
    private final Set<FencedLease> reportedAtCommit = new HashSet<>();
    /** What was sent and is not answered yet, oldest first; plain, since with every statement. */
    private StatementKind[] sending = new StatementKind[2];

    private int unanswered;
    /** By lease that joined the open transaction: the cursors that were open before it, lower case. */
    private final Map<FencedLease, Set<String>> earlierCursors = new WeakHashMap<>();

    /** A lease of the list whose claim is held; see {@link #settled}. */
    private FencedLease settled;

    private volatile Refused refused;
    private volatile Thread thread;
    /** Whether there is a list, or a refusal stands. */
    private volatile boolean counted;

    private boolean onlyReads = true;
    private boolean wroteUnderLease;
    private boolean openBeforeLease;
    private boolean closed;

    /** @param open the books of this JVM that have a list or are in the refused state */
    Transaction(Session session, Database database, GuardingTransactions guarding, Set<Transaction> open) {
        this.open = open;
        this.session = session;
        this.database = database;
        this.guarding = guarding;
        this.everyWrite = database.target().unleased() != Unleased.ALLOW;
    }

    /** Whether what is sent here matters under no lease too: on a list, refused, unanswered, or because of the rules. */
    boolean concerned() {
        return counted || everyWrite || unanswered > 0;
    }

    Session session() {
        return session;
    }

    Database database() {
        return database;
    }

    /** The driver's own connection. */
    Connection connection() throws SQLException {
        Connection connection = (Connection) session.connection();
        if (connection == null) {
            throw new SQLException("the service has dropped the connection", "08003");
        }
        return connection;
    }

    /** The thread that sent last under a lease. */
    Thread thread() {
        return thread;
    }

    FencedLease[] list() {
        return list;
    }

    boolean isEmpty() {
        return list.length == 0;
    }

    boolean contains(FencedLease lease) {
        for (FencedLease listed : list) {
            if (listed == lease) {
                return true;
            }
        }
        return false;
    }

    /** Puts a lease on the list; nothing happens if it is there, or if a later lease has taken its place. */
    void add(FencedLease lease) {
        // With every statement under the lease; only the first one of a transaction pays for the monitor.
        if (!contains(lease)) {
            addNew(lease);
        }
    }

    private synchronized void addNew(FencedLease lease) {
        if (contains(lease) || Arrays.asList(superseded).contains(lease)) {
            return;
        }
        list = appended(list, lease);
        lease.transactions().add(this);
        count();
    }

    /** The lease is on the list. Where its claim is held for good, nothing is left to do before its further statements. */
    void settle(FencedLease lease, Claim claim) {
        if (claim != null && claim.state() == Claim.State.HELD && contains(lease)) {
            settled = lease;
        }
    }

    /** Whether only its death could keep the lease from sending more; saves the look-ups, a quarter of what a statement costs under a lease. */
    boolean settled(FencedLease lease) {
        return settled == lease;
    }

    private void count() {
        if (!counted && !closed) {
            counted = true;
            open.add(this);
            LeaseContext.activate();
        }
    }

    private void discount() {
        if (counted && list.length == 0 && refused == null) {
            counted = false;
            open.remove(this);
            LeaseContext.deactivate();
        }
    }

    boolean onlyReads() {
        return onlyReads;
    }

    void wrote() {
        onlyReads = false;
        wroteUnderLease = true;
    }

    /** Whether anything but plain reads was sent since the first lease came on the list. */
    boolean wroteUnderLease() {
        return wroteUnderLease;
    }

    /** Whether the transaction was open before a lease of its list: what it sent then is unknown. */
    boolean openBeforeLease() {
        return openBeforeLease;
    }

    void wasOpenBeforeLease() {
        openBeforeLease = true;
        onlyReads = false;
    }

    /** The cursors of this connection that were opened before the lease was claimed, lower case; asked for once, since later ones are no concern. */
    Set<String> cursorsBefore(FencedLease lease) throws SQLException {
        Set<String> known = earlierCursors.get(lease);
        if (known == null) {
            known = new HashSet<>();
            for (String name : database.snapshots().cursorsBefore(lease, this)) {
                known.add(name.toLowerCase(Locale.ROOT));
            }
            earlierCursors.put(lease, known);
        }
        return known;
    }

    /** Remembers what is being sent; autosave may nest a ROLLBACK TO. */
    void push(StatementKind kind) {
        Thread current = Thread.currentThread();
        if (thread != current) {
            thread = current;
        }
        if (unanswered == sending.length) {
            sending = Arrays.copyOf(sending, 2 * unanswered);
        }
        sending[unanswered++] = kind;
    }

    /** What was sent last and is not answered yet; null if it was not of interest. */
    StatementKind pop() {
        return unanswered == 0 ? null : sending[--unanswered];
    }

    boolean nothingPending() {
        return unanswered == 0;
    }

    /** Whether the transaction keeps others from claiming this resource. */
    synchronized boolean holdsFenceOf(String resource) {
        return fencesHeld.contains(resource);
    }

    /** Whether the transaction keeps even guards of others waiting: it has claimed the resource itself. */
    synchronized boolean claimsInside(String resource) {
        return claimedInside.contains(resource);
    }

    synchronized boolean holdsFences() {
        return !fencesHeld.isEmpty();
    }

    /** Whether a report on this lease at the commit is news: {@code commit()} sends a COMMIT that is looked at as well. */
    synchronized boolean reportsAtCommit(FencedLease lease) {
        return reportedAtCommit.add(lease);
    }

    /** A guard at release was held. */
    synchronized void guarded(String resource) {
        fencesHeld.add(resource);
        guarding.add(this);
    }

    /** A claim was made in this transaction: the lease takes the place of earlier ones of the same resource. */
    synchronized void claimedIn(FencedLease lease) {
        guarded(lease.resource());
        claimedInside.add(lease.resource());
        for (FencedLease earlier : list) {
            if (earlier != lease && earlier.resource().equals(lease.resource())) {
                list = without(list, earlier);
                settled = null;
                superseded = appended(superseded, earlier);
            }
        }
    }

    /** The ids that the fence may hold if nobody else claimed since this transaction's first access to the resource. */
    List<String> leaseIdsOf(String resource) {
        List<String> ids = new ArrayList<>();
        for (FencedLease[] leases : new FencedLease[][] {superseded, list}) {
            for (FencedLease lease : leases) {
                if (lease.resource().equals(resource)) {
                    ids.add(lease.claimId());
                }
            }
        }
        return ids;
    }

    /**
     * A rollback to a savepoint may have undone the claims made in this transaction, and it cannot be told: they do not count until they are
     * made again, and the leases whose place they took are back.
     */
    synchronized void rolledBackTo() {
        for (FencedLease lease : list) {
            forgetClaim(lease);
        }
        for (FencedLease earlier : superseded) {
            list = appended(list, earlier);
        }
        superseded = NONE;
    }

    private void forgetClaim(FencedLease lease) {
        Claim claim = lease.claims().get(database);
        if (claim != null && claim.in() == this) {
            lease.claims().replace(database, claim, claim.undone());
        }
    }

    /** The transaction has ended. Claims made in it count from now on if it was committed, and are gone if not. */
    synchronized void end(boolean committed) {
        for (FencedLease lease : list) {
            Claim claim = lease.claims().get(database);
            if (claim != null && claim.in() == this) {
                if (committed) {
                    lease.claims().put(database, Claim.held(false));
                } else {
                    lease.claims().replace(database, claim, claim.undone());
                }
            }
            lease.transactions().remove(this);
        }
        for (FencedLease lease : superseded) {
            lease.transactions().remove(this);
        }
        list = NONE;
        settled = null;
        superseded = NONE;
        fencesHeld.clear();
        claimedInside.clear();
        reportedAtCommit.clear();
        guarding.remove(this);
        onlyReads = true;
        wroteUnderLease = false;
        openBeforeLease = false;
        discount();
    }

    /** The refusal that the connection is in: it takes nothing but a rollback, a close or setAutoCommit(true). Null if it is in none. */
    Refused refused() {
        return refused;
    }

    /** Enters the refused state; the transaction was rolled back. */
    synchronized void refuse(Refused refusal) {
        end(false);
        if (!closed) {
            refused = refusal;
            count();
        }
    }

    /** Leaves the refused state. */
    synchronized void forgive() {
        refused = null;
        discount();
    }

    /** The connection is gone. Returns whether this is news. */
    synchronized boolean close() {
        end(false);
        forgive();
        boolean news = !closed;
        closed = true;
        return news;
    }

    private static FencedLease[] appended(FencedLease[] leases, FencedLease lease) {
        FencedLease[] longer = Arrays.copyOf(leases, leases.length + 1);
        longer[leases.length] = lease;
        return longer;
    }

    private static FencedLease[] without(FencedLease[] leases, FencedLease lease) {
        return Arrays.stream(leases).filter(listed -> listed != lease).toArray(FencedLease[]::new);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(database.name());
        Thread user = thread;
        text.append(user == null ? "" : " of thread " + user.getName());
        for (FencedLease lease : list) {
            text.append(", under ").append(lease.resource());
        }
        return text.toString();
    }
}
