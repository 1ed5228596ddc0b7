/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Session;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the service sends to protected databases, statement by statement: claims before the first access, the transaction's list, the guard before the
 * commit, and refusals (DESIGN §2.2). Thread safe; each session is used by one thread at a time.
 */
public final class Transactions implements Effects {
    private volatile Rules rules;
    private final Report report;
    private final Databases databases;
    private final Claims claims;
    private final Guard guard;
    private final GuardingTransactions guarding;
    private final Calls calls;
    private final Requests requests;
    private final Admissions admissions;
    private final Unleasing unleasing;
    private final Outlived outlived;
    private final Set<Transaction> open = ConcurrentHashMap.newKeySet();
    /** Libraries that are present but not woven as they should be: what they should have fenced is refused. */
    private final Map<String, String> inactive = new ConcurrentHashMap<>();
    /** Whether writes are refused because of those. */
    private volatile boolean anyInactive;

    private boolean watchesUnleased;

    Transactions(
            Rules rules,
            Report report,
            Databases databases,
            Claims claims,
            Guard guard,
            GuardingTransactions guarding) {
        this.rules = rules;
        this.report = report;
        this.databases = databases;
        this.claims = claims;
        this.guard = guard;
        this.guarding = guarding;
        this.unleasing = new Unleasing(rules, report, this::whyInactive);
        this.outlived = new Outlived(rules);
        this.calls = new Calls(rules, report, unleasing, outlived);
        this.requests = new Requests(rules, report, claims, unleasing, outlived);
        this.admissions = new Admissions(rules, report, claims);
        watchUnleased();
    }

    private void watchUnleased() {
        boolean watch = rules.targets().stream().anyMatch(target -> target.unleased() != Unleased.ALLOW);
        if (watch && !watchesUnleased) {
            // Writes under no lease are looked at as well, for as long as the rules say so.
            LeaseContext.activate();
        } else if (!watch && watchesUnleased) {
            LeaseContext.deactivate();
        }
        watchesUnleased = watch;
    }

    /** Other rules from now on. */
    synchronized void change(Rules next) {
        rules = next;
        databases.change(next);
        unleasing.change(next);
        outlived.change(next);
        requests.change(next);
        admissions.change(next);
        watchUnleased();
        countInactive();
    }

    /**
     * A lock library is present but its hooks were not found. In enforce mode, writes to what its locks protect are refused from now on: a
     * silent non-match would be a hole in the fence.
     */
    public synchronized void inactive(String library, String why) {
        inactive.putIfAbsent(library, why);
        countInactive();
    }

    /** A method of a target was not woven: its calls are not seen, and under the target's leases nothing else of it is let through. */
    public void inactiveTarget(String target, String why) {
        calls.notWoven(target, why);
    }

    /** The hooks of a library were found after all: classes load one by one. */
    public synchronized void active(String library) {
        if (inactive.remove(library) != null) {
            countInactive();
        }
    }

    Calls calls() {
        return calls;
    }

    Outlived outlived() {
        return outlived;
    }

    Admissions admissions() {
        return admissions;
    }

    private void countInactive() {
        boolean any = false;
        for (LockRule rule : rules.locks()) {
            for (String library : inactive.keySet()) {
                any |= rule.mode() == Mode.ENFORCE && (rule.library().equals(library) || databases.isDriver(library));
            }
        }
        if (any && !anyInactive) {
            LeaseContext.activate();
        } else if (!any && anyInactive) {
            LeaseContext.deactivate();
        }
        anyInactive = any;
    }

    /** How many connections have an open transaction under a lease, or are in the refused state. */
    public int open() {
        return open.size();
    }

    /** Ends the books of connections that were dropped without a close, or closed by a failure that nobody reported. */
    public void sweep() {
        for (Transaction transaction : open) {
            Session session = transaction.session();
            if (session.closed() || session.connection() == null) {
                closed(session);
            }
        }
    }

    @Override
    public boolean bound(Session session) {
        Transaction transaction = (Transaction) session.books;
        return transaction != null && (!transaction.isEmpty() || transaction.refused() != null);
    }

    @Override
    public boolean refusesUnknown() {
        for (Lease lease : LeaseContext.current()) {
            if (lease instanceof FencedLease fenced && fenced.enforced()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void opened(Session session, Object driver, String url, Properties info) {
        Database database = databases.opened((Driver) driver, url, info);
        if (database != null) {
            session.books = new Transaction(session, database, guarding, open);
        }
    }

    @Override
    public boolean mayBeClaimed(String url) {
        return databases.mayBeClaimed(url);
    }

    @Override
    public void adopted(Session session, Object driver, String url, Properties info) {
        Database database = databases.adopted((Driver) driver, url, info);
        if (database != null) {
            session.books = new Transaction(session, database, guarding, open);
            report.adopted(database.name(), session.transactionOpen() || session.transactionFailed());
        }
    }

    @Override
    public boolean concerned(Session session) {
        Transaction transaction = (Transaction) session.books;
        return transaction != null && (concerned(transaction) || LeaseContext.current().length > 0);
    }

    /** Whether what is sent now matters even under no lease. With every woven call of every thread, once there is a lease anywhere. */
    private boolean concerned(Transaction transaction) {
        return transaction.concerned() || anyInactive;
    }

    @Override
    public boolean sending(Session session, String sql, boolean alone) throws Throwable {
        Transaction transaction = (Transaction) session.books;
        if (transaction == null) {
            return false;
        }
        Lease[] leases = LeaseContext.current();
        if (leases.length == 0 && !concerned(transaction)) {
            return false;
        }
        Kinds.Scanned scanned;
        try {
            scanned = transaction.database().kinds().of(sql);
        } catch (Throwable t) {
            return failedOn(transaction, t, alone);
        }
        return sending(transaction, scanned, alone, leases);
    }

    @Override
    public boolean sending(Session session, String[] sql, boolean alone) throws Throwable {
        Transaction transaction = (Transaction) session.books;
        if (transaction == null) {
            return false;
        }
        Lease[] leases = LeaseContext.current();
        if (leases.length == 0 && !concerned(transaction)) {
            return false;
        }
        Kinds.Scanned scanned;
        try {
            scanned = transaction.database().kinds().of(sql);
        } catch (Throwable t) {
            return failedOn(transaction, t, alone);
        }
        return sending(transaction, scanned, alone, leases);
    }

    private boolean sending(Transaction transaction, Kinds.Scanned scanned, boolean alone, Lease[] leases)
            throws Throwable {
        try {
            boolean wrap = admit(transaction, scanned.kind(), alone, leases);
            if (leases.length > 0) {
                refuseEarlierCursors(transaction, scanned.cursors(), leases);
            }
            transaction.push(scanned.kind());
            return wrap;
        } catch (RefusedException e) {
            throw refuse(transaction, e.refused(), alone);
        } catch (SQLException e) {
            throw e;
        } catch (Throwable t) {
            return failedOn(transaction, t, alone);
        }
    }

    /** Lets a statement through, or throws; returns whether a transaction must be opened around it. */
    private boolean admit(Transaction transaction, StatementKind kind, boolean alone, Lease[] leases)
            throws RefusedException, SQLException {
        Refused refused = transaction.refused();
        if (refused != null) {
            if (kind == StatementKind.ROLLBACK || kind == StatementKind.HARMLESS || kind == StatementKind.EMPTY) {
                return false;
            }
            if (kind == StatementKind.BEGIN && alone) {
                // Autocommit, with transactions as text: a pool gives such a connection on as it is. Nothing of the
                // refused transaction can follow.
                transaction.forgive();
                return false;
            }
            throw new RefusedException(refused.again());
        }
        boolean leased = !transaction.isEmpty();
        for (Lease lease : leases) {
            if (protects(lease, transaction.database()) && goesOn((FencedLease) lease, transaction, kind)) {
                leased = true;
                admitUnder((FencedLease) lease, transaction, kind, alone);
            }
        }
        if (!leased) {
            admitUnleased(transaction, kind, alone);
            return false;
        }
        switch (kind) {
            case COMMIT, COMMIT_AND_CHAIN -> guardedCommit(transaction, false);
            case MIXED ->
                refuseUnguardable(
                        transaction,
                        leases,
                        "a text with several statements and transaction control among them cannot be guarded: send BEGIN and COMMIT"
                                + " by themselves, or use setAutoCommit(false) and commit()");
            case PREPARE_TRANSACTION, COMMIT_PREPARED ->
                refuseUnguardable(
                        transaction,
                        leases,
                        "two-phase commit (PREPARE TRANSACTION, XA) is not supported under a lock");
            default -> {
                if (kind.writes()) {
                    refuseUnderInactiveDriver(transaction);
                    transaction.wrote();
                }
            }
        }
        return alone && kind.writes() && !transaction.isEmpty() && sends(transaction);
    }

    /** Whether any lease of the list is in a mode in which Lockfence sends something. */
    private static boolean sends(Transaction transaction) {
        for (FencedLease lease : transaction.list()) {
            if (lease.mode() != Mode.OBSERVE) {
                return true;
            }
        }
        return false;
    }

    private static boolean protects(Lease lease, Database database) {
        return lease instanceof FencedLease fenced && fenced.protects(database.target());
    }

    /** Whether a lease still covers what is sent: one that was given back, of work that outlives it, as the target's rule says. */
    private boolean goesOn(FencedLease lease, Transaction transaction, StatementKind kind) throws RefusedException {
        if (!lease.released() || transaction.contains(lease)) {
            return true;
        }
        TargetRule target = transaction.database().target();
        if (target.afterRelease() == AfterRelease.ALLOW) {
            return false;
        }
        if (kind.writes()) {
            if (target.afterRelease() == AfterRelease.REJECT) {
                refuse(lease, Refused.under(Reason.RELEASED, lease).of("write", target.name()));
            }
            if (lease.firstTold(target.name(), Reason.RELEASED)) {
                report.late("write", lease, target.name());
            }
        }
        // A number that is issued now would be above those of whoever has the lock.
        return !lease.issuedByClaim() || lease.token() != 0 || lease.claims().containsKey(transaction.database());
    }

    private void admitUnder(FencedLease lease, Transaction transaction, StatementKind kind, boolean alone)
            throws RefusedException, SQLException {
        boolean writes = kind.writes();
        // In a transaction even a SELECT of literals takes the snapshot that everything after it may read.
        boolean accesses =
                kind.accesses() || (!alone && (kind == StatementKind.LITERAL_SELECT || kind == StatementKind.CATALOG));
        boolean listed = accesses && (!alone || writes);
        if (lease.death() != null) {
            if (writes || (lease.neverUsable() && accesses)) {
                refuse(
                        lease,
                        lease.refusedDead()
                                .of(
                                        writes ? "write" : "read",
                                        transaction.database().name()));
            }
            if (accesses) {
                lease.accesses();
            }
            // Reads pass; but what was read under a dead lease must not be followed by a write in the same transaction.
            if (listed) {
                transaction.add(lease);
            }
            return;
        }
        Refused unverified = writes ? Verification.refused(lease) : null;
        if (unverified != null) {
            refuse(lease, unverified.of("write", transaction.database().name()));
        }
        if (!accesses || transaction.settled(lease)) {
            return;
        }
        Claim claim = lease.claims().get(transaction.database());
        if (lease.mode() != Mode.OBSERVE) {
            boolean joins = !alone
                    && !transaction.contains(lease)
                    && transaction.session().transactionOpen();
            if (joins || !Claims.stands(claim, transaction, writes)) {
                claim = claim(lease, transaction, writes, joins);
            }
        }
        if (listed && (claim == null || claim.state() != Claim.State.STANDBY)) {
            transaction.add(lease);
            transaction.settle(lease, claim);
        }
    }

    /** Not with every statement: the lease's first access to the database, or in a transaction. */
    private Claim claim(FencedLease lease, Transaction transaction, boolean writes, boolean joins)
            throws RefusedException, SQLException {
        Database database = transaction.database();
        try {
            claims.beforeAccess(lease, database, transaction, writes);
            if (joins) {
                joinOpenTransaction(lease, transaction);
            }
            if (writes && lease.death() != null) {
                // The claim took its time.
                throw new RefusedException(lease.refusedDead());
            }
        } catch (RefusedException e) {
            refuse(lease, e.refused().of(writes ? "write" : "read", database.name()));
            lease.claims().putIfAbsent(database, Claim.forgone());
        }
        return lease.claims().get(database);
    }

    /** The lease's first access in a transaction that was open before: under the stricter levels it may read an older snapshot. */
    private void joinOpenTransaction(FencedLease lease, Transaction transaction) throws RefusedException, SQLException {
        transaction.wasOpenBeforeLease();
        if (transaction.database().snapshots().olderThanNow(transaction)) {
            throw new RefusedException(Refused.under(Reason.OLD_SNAPSHOT, lease));
        }
    }

    /** A cursor shows what was there when it was opened, at every isolation level; as {@link #fetching} does for the driver's own. */
    private void refuseEarlierCursors(Transaction transaction, List<String> cursors, Lease[] leases)
            throws RefusedException, SQLException {
        if (cursors.isEmpty()) {
            return;
        }
        for (Lease lease : leases) {
            if (protects(lease, transaction.database())
                    && lease.death() == null
                    && ((FencedLease) lease).mode() != Mode.OBSERVE
                    && !Collections.disjoint(transaction.cursorsBefore((FencedLease) lease), cursors)) {
                refuse(
                        (FencedLease) lease,
                        Refused.under(Reason.OLD_SNAPSHOT, lease)
                                .of("read", transaction.database().name())
                                .because("a cursor of " + cursors + " was opened before the lock was taken"));
            }
        }
    }

    private void admitUnleased(Transaction transaction, StatementKind kind, boolean alone) throws RefusedException {
        if (!kind.writes()) {
            return;
        }
        Database database = transaction.database();
        String inactiveLocks = whyInactive(database.target());
        if (inactiveLocks != null) {
            refuseUnleased(Refused.unleased(Reason.INACTIVE, database.name()).because(inactiveLocks));
        }
        switch (database.target().unleased()) {
            case ALLOW -> {}
            case REPORT -> report.unleased("write", database.name());
            case REJECT -> refuseUnleased(Refused.unleased(database.name()));
        }
    }

    /** Why nothing may be written to a target under no lease: its locks are not seen. Null if they are. */
    private String whyInactive(TargetRule target) {
        if (anyInactive) {
            for (LockRule rule : rules.locks()) {
                String why = inactive.get(rule.library());
                if (why != null && rule.mode() == Mode.ENFORCE && rule.protects(target)) {
                    return rule.library() + " is present, but " + why;
                }
            }
        }
        return null;
    }

    /** Not where leases may have begun unseen: the thread may hold a lock from before. */
    private void refuseUnleased(Refused refused) throws RefusedException {
        if (rules.mode() == Mode.ENFORCE && Seams.blindUntil() == 0) {
            throw new RefusedException(refused);
        }
        report.refusal(refused.inShadow());
    }

    /** Some of the driver's ways to write pass unseen: then none is let through under a lease. */
    private void refuseUnderInactiveDriver(Transaction transaction) throws RefusedException {
        String why = anyInactive ? inactive.get(transaction.database().dialect().driver()) : null;
        if (why != null) {
            for (FencedLease lease : transaction.list()) {
                refuse(
                        lease,
                        Refused.under(Reason.INACTIVE, lease)
                                .of("write", transaction.database().name())
                                .because("its driver is present, but " + why));
            }
        }
    }

    private void refuseUnguardable(Transaction transaction, Lease[] leases, String why) throws RefusedException {
        FencedLease witness = null;
        for (FencedLease lease : transaction.list()) {
            witness = witness == null || lease.enforced() ? lease : witness;
        }
        for (Lease lease : leases) {
            if (protects(lease, transaction.database())) {
                witness = witness == null || ((FencedLease) lease).enforced() ? (FencedLease) lease : witness;
            }
        }
        if (witness != null) {
            refuse(
                    witness,
                    Refused.under(Reason.PATH, witness)
                            .of("statement", transaction.database().name())
                            .because(why));
        }
    }

    /** Throws where the lease's rule is enforced, reports where it is not. */
    private void refuse(FencedLease lease, Refused refused) throws RefusedException {
        if (lease.enforced()) {
            throw new RefusedException(refused);
        }
        report.refusal(refused.inShadow());
    }

    @Override
    public void sent(Session session, boolean opened, Throwable thrown) throws Throwable {
        Transaction transaction = (Transaction) session.books;
        if (transaction == null || transaction.nothingPending()) {
            return;
        }
        try {
            StatementKind kind = transaction.pop();
            if (opened) {
                endAlone(transaction, thrown);
            } else {
                answered(transaction, kind, thrown);
            }
        } catch (RefusedException e) {
            throw refuse(transaction, e.refused(), opened);
        } catch (SQLException e) {
            throw e;
        } catch (Throwable t) {
            failedOn(transaction, t, opened);
        }
    }

    private void answered(Transaction transaction, StatementKind kind, Throwable thrown) {
        if (thrown == null) {
            switch (kind) {
                case ROLLBACK -> {
                    transaction.end(false);
                    transaction.forgive();
                }
                case COMMIT, COMMIT_AND_CHAIN -> transaction.end(true);
                case ROLLBACK_TO -> transaction.rolledBackTo();
                default -> {}
            }
        } else if (thrown instanceof SQLException e && "25P03".equals(e.getSQLState()) && transaction.holdsFences()) {
            FencedLease lease = transaction.list()[0];
            report.refusal(Refused.under(Reason.IDLE_KILLED, lease)
                    .of("transaction", transaction.database().name()));
        }
        endIfNoneOpen(transaction);
    }

    private static void endIfNoneOpen(Transaction transaction) {
        Session session = transaction.session();
        if (!transaction.isEmpty() && !session.transactionOpen() && !session.transactionFailed()) {
            transaction.end(false);
        }
    }

    /** A write in autocommit mode, in the transaction that was opened around it: committed behind its guard, or rolled back. */
    private void endAlone(Transaction transaction, Throwable thrown) throws RefusedException, SQLException {
        if (thrown == null) {
            try {
                guardedCommit(transaction, true);
                if (transaction.session().transactionOpen()) {
                    own(transaction, "COMMIT");
                }
            } finally {
                closeAlone(transaction);
            }
            transaction.end(true);
            return;
        }
        FencedLease lease = transaction.isEmpty() ? null : transaction.list()[0];
        closeAlone(transaction);
        String state = thrown instanceof SQLException e ? e.getSQLState() : null;
        if (lease != null && lease.enforced() && ("2D000".equals(state) || "25001".equals(state))) {
            throw new RefusedException(Refused.under(Reason.PATH, lease)
                    .of("statement", transaction.database().name())
                    .because(
                            "it cannot run inside a transaction (SQLState " + state
                                    + "), and outside of one its effects could not be guarded: run it under no lock, or commit outside the routine")
                    .causedBy(thrown));
        }
    }

    private void closeAlone(Transaction transaction) {
        Session session = transaction.session();
        if (session.transactionOpen() || session.transactionFailed()) {
            rollBack(transaction);
        }
        if (!transaction.isEmpty() && !session.transactionOpen()) {
            // Committed or rolled back: what follows decides which, from the exception.
            transaction.end(false);
        }
    }

    @Override
    public void fetching(Session session, Lease[] openedUnder) throws Throwable {
        Transaction transaction = (Transaction) session.books;
        if (transaction == null) {
            return;
        }
        try {
            Refused refused = transaction.refused();
            if (refused != null) {
                throw new RefusedException(refused.again());
            }
            for (Lease lease : LeaseContext.current()) {
                if (protects(lease, transaction.database()) && lease.death() == null && !among(openedUnder, lease)) {
                    refuse(
                            (FencedLease) lease,
                            Refused.under(Reason.OLD_SNAPSHOT, lease)
                                    .of("read", transaction.database().name())
                                    .because("the streaming result was opened before the lock was taken"));
                }
            }
        } catch (RefusedException e) {
            throw refuse(transaction, e.refused(), false);
        } catch (RuntimeException | Error e) {
            failedOn(transaction, e, false);
        }
    }

    private static boolean among(Lease[] leases, Lease lease) {
        for (Lease other : leases) {
            if (other == lease) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void committing(Session session) throws Throwable {
        Transaction transaction = (Transaction) session.books;
        if (transaction == null) {
            return;
        }
        try {
            Refused refused = transaction.refused();
            if (refused != null) {
                throw new RefusedException(refused.again());
            }
            if (!transaction.isEmpty() && session.transactionOpen()) {
                guardedCommit(transaction, true);
            }
        } catch (RefusedException e) {
            throw refuse(transaction, e.refused(), false);
        } catch (SQLException e) {
            endIfNoneOpen(transaction);
            throw e;
        } catch (Throwable t) {
            failedOn(transaction, t, false);
        }
    }

    /**
     * Guards the open transaction, unless nothing but plain reads was sent in it.
     *
     * @param together whether the commit is sent with the guard, in one message; else the service's own COMMIT follows
     */
    private void guardedCommit(Transaction transaction, boolean together) throws RefusedException, SQLException {
        if (transaction.isEmpty()
                || transaction.onlyReads()
                || !transaction.session().transactionOpen()) {
            return;
        }
        guard.beforeCommit(transaction, together);
        if (together && !transaction.session().transactionOpen()) {
            transaction.end(true);
        }
    }

    @Override
    public void rolledBack(Session session) {
        Transaction transaction = (Transaction) session.books;
        if (transaction != null) {
            transaction.end(false);
            transaction.forgive();
        }
    }

    @Override
    public void abandoned(Session session) {
        Transaction transaction = (Transaction) session.books;
        if (transaction != null && transaction.refused() != null) {
            transaction.forgive();
        }
    }

    @Override
    public void closed(Session session) {
        Transaction transaction = (Transaction) session.books;
        if (transaction != null && transaction.close()) {
            transaction.database().closed();
        }
    }

    @Override
    public boolean calling(String target) {
        return calls.calling(target);
    }

    @Override
    public void called() {
        calls.called();
    }

    @Override
    public boolean concerned(Lease[] under) {
        return requests.concerned(under, anyInactive);
    }

    @Override
    public Lease[] carried(Lease[] under) {
        return requests.carried(under);
    }

    @Override
    public String requesting(Lease[] under, String method, String url) {
        return requests.requesting(under, method, url);
    }

    @Override
    public boolean receives() {
        return admissions.receives();
    }

    @Override
    public Reception receiving(Incoming request) {
        return admissions.receiving(request);
    }

    @Override
    public boolean mustReceive(Incoming request) {
        return admissions.mustReceive(request);
    }

    /** Records a refusal, rolls back what it leaves, and makes it what the service sees. */
    private SQLException refuse(Transaction transaction, Refused refused, boolean alone) {
        report.refusal(refused);
        Admissions.note(refused);
        if (!alone && !refused.repeated()) {
            if (transaction.session().transactionOpen() || transaction.session().transactionFailed()) {
                // Ours to do: a driver's autosave may have kept the transaction open, with the writes in it.
                rollBack(transaction);
            }
            transaction.refuse(refused);
        } else if (alone && !transaction.session().transactionOpen()) {
            // Nothing was sent: leases that were listed for it must not meet the connection's next statement.
            transaction.end(false);
        }
        return new SQLNonTransientException(refused.message(), refused.kind().sqlState(), refused.exception());
    }

    /** A fault of ours: the leases of thread and transaction are poisoned, and the effect is refused; where there is none, the service goes on. */
    private boolean failedOn(Transaction transaction, Throwable fault, boolean alone) throws SQLException {
        Seams.fault(fault);
        FencedLease poisoned = null;
        for (FencedLease lease : transaction.list()) {
            lease.die(Lease.Death.UNUSABLE, "Lockfence failed on it: " + fault);
            poisoned = lease;
        }
        for (Lease lease : LeaseContext.current()) {
            if (protects(lease, transaction.database())) {
                poisoned = (FencedLease) lease;
            }
        }
        if (poisoned == null || !poisoned.enforced()) {
            return false;
        }
        throw refuse(
                transaction,
                Refused.under(Reason.BOOKS, poisoned)
                        .of("access", transaction.database().name())
                        .because(String.valueOf(fault))
                        .causedBy(fault),
                alone);
    }

    private void rollBack(Transaction transaction) {
        try {
            own(transaction, "ROLLBACK");
        } catch (SQLException e) {
            // The connection is gone, and with it the transaction.
        }
    }

    private static void own(Transaction transaction, String sql) throws SQLException {
        transaction.session().ours = true;
        try (Statement statement = transaction.connection().createStatement()) {
            statement.execute(sql);
        } finally {
            transaction.session().ours = false;
        }
    }
}
