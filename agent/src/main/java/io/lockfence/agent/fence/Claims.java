/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.ClaimAt;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.report.ClaimOutcome;
import io.lockfence.agent.report.GuardMoment;
import io.lockfence.agent.report.GuardOutcome;
import io.lockfence.agent.report.Holder;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Claims: advancing the fence to a lease before its first access (DESIGN P3), once more with a higher token where the coordinator lost its
 * counter (P6), and in the service's own transaction where a claim of our own would wait for that very transaction.
 */
final class Claims {
    private static final long TRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long COORDINATOR_SECONDS = 2;
    /** A newer holder may claim between the coordinator's answer and our claim: then it is asked again. */
    private static final int RAISES = 3;

    private volatile Rules rules;
    private final Report report;
    private final Databases databases;
    private final GuardingTransactions guarding;

    Claims(Rules rules, Report report, Databases databases, GuardingTransactions guarding) {
        this.rules = rules;
        this.report = report;
        this.databases = databases;
        this.guarding = guarding;
    }

    /** Other rules from now on. */
    void change(Rules next) {
        rules = next;
    }

    /**
     * The lease is about to send something to this database: sees that its claim stands there.
     *
     * @param transaction that the access belongs to
     * @param writes whether it is a write
     */
    void beforeAccess(FencedLease lease, Database database, Transaction transaction, boolean writes)
            throws RefusedException {
        if (stands(lease.claims().get(database), transaction, writes)) {
            return;
        }
        lease.claiming().lock();
        try {
            if (stands(lease.claims().get(database), transaction, writes)) {
                return;
            }
            Claim before = lease.claims().get(database);
            if (before != null && before.state() == Claim.State.FAILED) {
                throw new RefusedException(before.failure());
            }
            List<String> over = before == null ? List.of() : before.over();
            if (transaction.holdsFenceOf(lease.resource()) && !lease.enforced()) {
                // An error of ours must not fail the service's transaction: in shadow mode the first lease's guard has
                // to do.
                lease.claims().put(database, Claim.forgone());
            } else if (transaction.holdsFenceOf(lease.resource())) {
                makeDurable(lease);
                claimInTransaction(lease, database, transaction, over);
            } else if (before != null && before.state() == Claim.State.UNDONE) {
                claimAgain(lease, database, transaction, over);
            } else {
                claimOnOwnConnection(lease, database, transaction);
            }
        } finally {
            lease.claiming().unlock();
        }
    }

    /** Whether nothing is left to claim for an access of this transaction; the claim may be null. */
    static boolean stands(Claim claim, Transaction transaction, boolean writes) {
        if (claim == null) {
            return false;
        }
        return switch (claim.state()) {
            case HELD, FORGONE -> true;
            case IN_TRANSACTION -> claim.in() == transaction;
            // A standby takes no writes; if it was promoted since, the claim is due.
            case STANDBY -> !writes;
            case UNDONE, FAILED -> false;
        };
    }

    /**
     * The lease is about to send a request: sees that it has claimed every database that it protects and that is open, so that no crash loses that. One that
     * cannot be claimed makes only the lease's accesses to it fail.
     */
    void beforeRequest(FencedLease lease) throws RefusedException {
        if (!lease.accessed() || anyNotDurable(lease)) {
            lease.claiming().lock();
            try {
                if (!lease.claims().isEmpty()) {
                    makeDurable(lease);
                } else if (!lease.accessed()) {
                    firstOfAll(lease);
                }
                if (lease.token() != 0) {
                    lease.accesses();
                }
            } finally {
                lease.claiming().unlock();
            }
        }
        if (lease.token() == 0) {
            throw refused(
                    Reason.NO_TOKEN,
                    lease,
                    null,
                    "the lock has no numbers of its own, and no database that it protects was open here to issue one: name 'token' in its rule, or open"
                            + " the database first");
        }
    }

    private static boolean anyNotDurable(FencedLease lease) {
        for (Claim claim : lease.claims().values()) {
            if (claim.state() == Claim.State.HELD && !claim.durable()) {
                return true;
            }
        }
        return false;
    }

    /** The lease's first access is none to a database. */
    private void firstOfAll(FencedLease lease) throws RefusedException {
        List<Database> due = due(lease, null);
        try {
            if (!due.isEmpty()) {
                claimAll(lease, due, true);
            } else if (lease.token() == 0 && !lease.issuedByClaim() && !lease.released()) {
                takeToken(lease, due);
            }
        } catch (RefusedException e) {
            if (lease.death() != null || e.refused().kind() != Refusal.UNKNOWN || lease.token() == 0) {
                throw e;
            }
            for (Database database : due) {
                lease.claims().putIfAbsent(database, Claim.failed(e.refused()));
            }
        }
    }

    /**
     * A request has come in under the lease of a caller: claims what is open here and protected, before the service runs.
     *
     * @param fence the target that must be claimed now, with every request; null for none
     */
    void ofCaller(FencedLease lease, String fence) throws RefusedException {
        if (lease.death() != null) {
            throw new RefusedException(lease.refusedDead());
        }
        if (fence != null) {
            List<Database> fences = databases.named(fence);
            if (fences.isEmpty()) {
                throw refused(
                        Reason.DATABASE_FAILED,
                        lease,
                        null,
                        "the rule of this request claims in '" + fence + "', which this JVM has not opened");
            }
            for (Database database : fences) {
                claimNow(lease, database);
            }
        }
        for (Database database : due(lease, null)) {
            if (!lease.claims().containsKey(database)) {
                lease.claiming().lock();
                try {
                    claimForCaller(lease, null);
                } finally {
                    lease.claiming().unlock();
                }
                return;
            }
        }
    }

    /** No guard follows: what the fence says now is all that is known. */
    private void claimNow(FencedLease lease, Database database) throws RefusedException {
        Claim known = lease.claims().get(database);
        Claimed claimed;
        if (known != null && known.state() == Claim.State.HELD) {
            claimed = claimLate(lease, database, false, false);
            if (claimed.status() == Claimed.Status.CLAIMED) {
                throw stale(Reason.CLAIM_LOST, lease, database, claimed, null);
            }
        } else {
            lease.claiming().lock();
            try {
                claimed = claimLate(lease, database, true, true);
            } finally {
                lease.claiming().unlock();
            }
        }
        if (!claimed.held()) {
            throw refused(Reason.STANDBY, lease, database, null);
        }
    }

    /**
     * A caller's first access here, or its first request: claims all that is open. What cannot be asked then is not claimed later, unless nothing else was
     * claimed either: what was read elsewhere meanwhile would not be vouched for.
     *
     * @param first what is about to be accessed; null for nothing yet
     */
    private void claimForCaller(FencedLease lease, Database first) throws RefusedException {
        Map<Database, RefusedException> failed = new LinkedHashMap<>();
        for (Database database : due(lease, first)) {
            if (!lease.claims().containsKey(database)) {
                try {
                    claimLate(lease, database, true, database == first);
                } catch (RefusedException e) {
                    if (lease.death() != null
                            || e.refused().kind() != Refusal.UNKNOWN
                            || e.refused().reason() == Reason.LEAP) {
                        throw e;
                    }
                    failed.put(database, e);
                }
            }
        }
        if (!lease.claims().isEmpty()) {
            failed.forEach((database, e) -> lease.claims().put(database, Claim.failed(e.refused())));
        }
        if (first != null && failed.containsKey(first)) {
            throw failed.get(first);
        }
    }

    /** {@code claim: acquire}: claims inside the acquire call. If that fails the call returns normally, and the lease is dead. */
    void atAcquire(FencedLease lease) {
        lease.claiming().lock();
        try {
            claimAll(lease, due(lease, null), true);
        } catch (RefusedException e) {
            lease.die(Lease.Death.UNUSABLE, e.refused().of("access", e.refused().target()));
        } finally {
            lease.claiming().unlock();
        }
    }

    private void claimOnOwnConnection(FencedLease lease, Database database, Transaction transaction)
            throws RefusedException {
        refuseToWaitForOurselves(lease, database, transaction);
        if (lease.claims().isEmpty() && !lease.accessed()) {
            List<Database> due = due(lease, database);
            claimAll(lease, due, due.size() > 1 || lease.rule().claim() == ClaimAt.ACQUIRE);
        } else if (lease.claims().isEmpty() && lease.ofCaller()) {
            claimForCaller(lease, database);
        } else {
            makeDurable(lease);
            claimLate(lease, database, true);
        }
    }

    /**
     * The databases of a first claim. Not those where an open transaction of this thread holds the fence: there the claim is made in that transaction,
     * and only over a lease of its own.
     */
    private List<Database> due(FencedLease lease, Database first) {
        List<Database> due = databases.protectedBy(lease.rule(), first);
        due.removeIf(database -> guarding.thatBlocksClaim(lease.resource(), database, null) != null);
        return due;
    }

    private void refuseToWaitForOurselves(FencedLease lease, Database database, Transaction transaction)
            throws RefusedException {
        Transaction blocking = guarding.thatBlocksClaim(lease.resource(), database, transaction);
        if (blocking != null) {
            throw refused(
                    Reason.OWN_TRANSACTION, lease, database, "the claim waits for the transaction on " + blocking);
        }
    }

    /** A claim in a transaction was undone: it is made again only if the fence is still where it was. */
    private void claimAgain(FencedLease lease, Database database, Transaction transaction, List<String> over)
            throws RefusedException {
        refuseToWaitForOurselves(lease, database, transaction);
        // A number that was issued in what was rolled back may have been issued again since.
        ClaimRequest request = request(lease, lease.issuedByClaim());
        Claimed claimed = claim(lease, database, request, false, over, true);
        if (!claimed.held()) {
            throw stale(Reason.SUPERSEDED, lease, database, claimed, null);
        }
    }

    /** The lease's first claim, of all databases at once. Where the coordinator has no numbers the first database issues one, for all of them. */
    private void claimAll(FencedLease lease, List<Database> due, boolean durable) throws RefusedException {
        if (lease.token() == 0 && lease.released()) {
            // Work that outlives it: a number that it got now would be above that of whoever has the lock.
            throw refused(Reason.NO_TOKEN, lease, due.get(0), "it was given back before it had one");
        }
        if (lease.token() == 0 && !lease.issuedByClaim()) {
            takeToken(lease, due);
        }
        for (int raises = 0; ; raises++) {
            Map<Database, RefusedException> failed = new LinkedHashMap<>();
            Claimed ahead = null;
            Database aheadAt = null;
            for (Database database : due) {
                try {
                    boolean patient = database == due.get(0) || lease.rule().claim() == ClaimAt.ACQUIRE;
                    Claimed claimed = claim(lease, database, request(lease), durable, null, patient);
                    if (claimed.status() == Claimed.Status.BEHIND) {
                        if (claimed.row().generation() != lease.generation()) {
                            throw stale(Reason.OLD_GENERATION, lease, database, claimed, null);
                        }
                        if (ahead == null || claimed.row().token() > ahead.row().token()) {
                            ahead = claimed;
                            aheadAt = database;
                        }
                    }
                } catch (RefusedException e) {
                    failed.put(database, e);
                }
            }
            if (ahead == null) {
                settle(lease, due, failed);
                return;
            }
            if (raises == RAISES) {
                throw stale(Reason.AHEAD, lease, aheadAt, ahead, "the fence went ahead " + RAISES + " times");
            }
            // Its owner may hold the lock again, by another lease.
            refuseReleased(lease, aheadAt, ahead);
            if (lease.issuedByClaim()) {
                raiseIssued(lease, aheadAt, ahead, durable);
            } else {
                raise(lease, aheadAt, ahead);
            }
            refuseReleased(lease, aheadAt, ahead);
        }
    }

    private static void refuseReleased(FencedLease lease, Database database, Claimed ahead) throws RefusedException {
        if (lease.released()) {
            throw stale(
                    Reason.AHEAD, lease, database, ahead, "it was given back, and its number is not raised any more");
        }
    }

    /**
     * What could not be claimed makes only the lease's accesses to it fail, and does so for good: a claim that came after accesses elsewhere could not vouch
     * for them. Where nothing was claimed, nothing has been accessed, and the next access tries again.
     */
    private void settle(FencedLease lease, List<Database> due, Map<Database, RefusedException> failed)
            throws RefusedException {
        if (failed.isEmpty()) {
            return;
        }
        if (!lease.claims().isEmpty()) {
            failed.forEach((database, e) -> lease.claims().put(database, Claim.failed(e.refused())));
        }
        if (failed.containsKey(due.get(0))) {
            throw failed.get(due.get(0));
        }
        if (lease.rule().claim() == ClaimAt.ACQUIRE) {
            throw failed.values().iterator().next();
        }
    }

    /** A database that was opened after the lease's first access: never a reason to raise the token (P6). */
    private void claimLate(FencedLease lease, Database database, boolean durable) throws RefusedException {
        claimLate(lease, database, durable, true);
    }

    /** @param patient whether to wait for a database that does not answer */
    private Claimed claimLate(FencedLease lease, Database database, boolean durable, boolean patient)
            throws RefusedException {
        Claimed claimed = claim(lease, database, request(lease), durable, null, patient);
        if (claimed.status() == Claimed.Status.BEHIND && lease.ofCaller()) {
            throw stale(
                    claimed.row().generation() == lease.generation() ? Reason.CALLER_BEHIND : Reason.OLD_GENERATION,
                    lease,
                    database,
                    claimed,
                    null);
        }
        if (claimed.status() == Claimed.Status.BEHIND) {
            Reason reason =
                    claimed.row().generation() == lease.generation() ? Reason.AHEAD_LATER : Reason.OLD_GENERATION;
            throw refused(reason, lease, database, claimed, null);
        }
        return claimed;
    }

    /** Before the lease sends anything to a second database, a crash of the first must not lose its claim there. */
    private void makeDurable(FencedLease lease) throws RefusedException {
        for (Map.Entry<Database, Claim> entry : lease.claims().entrySet()) {
            Claim claim = entry.getValue();
            if (claim.state() == Claim.State.HELD && !claim.durable()) {
                refuseToWaitForOurselves(lease, entry.getKey(), null);
                Claimed claimed = claim(lease, entry.getKey(), true);
                if (claimed.status() == Claimed.Status.BEHIND) {
                    throw stale(Reason.SUPERSEDED, lease, entry.getKey(), claimed, null);
                }
                if (claimed.status() != Claimed.Status.OURS) {
                    throw stale(Reason.CLAIM_LOST, lease, entry.getKey(), claimed, null);
                }
            }
        }
    }

    /** The hold was found at the coordinator without a lease in our books (a release that failed half-way): its token is due. */
    private void takeToken(FencedLease lease, List<Database> due) throws RefusedException {
        Database database = due.isEmpty() ? null : due.get(0);
        Proof proof;
        try {
            proof = await(lease.coordinator().raiseAbove(0));
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw refused(Reason.NO_TOKEN, lease, database, reason(e));
        }
        if (!proof.held()) {
            lease.die(Lease.Death.LOST, "the coordinator says that its owner holds nothing");
            throw new RefusedException(lease.refusedDead().of("access", name(database)));
        }
        lease.raise(proof.token());
    }

    /** P6: the fence is ahead of us at our first claim. Either we are stale, or the coordinator lost its counter: it knows. */
    private void raise(FencedLease lease, Database database, Claimed ahead) throws RefusedException {
        Proof proof;
        try {
            proof = await(lease.coordinator().raiseAbove(ahead.row().token()));
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw stale(
                    Reason.AHEAD,
                    lease,
                    database,
                    ahead,
                    "it could not be asked to raise its counter: " + reason(e)
                            + ". If it has lost its counter, raise 'generation' in the lock's rule");
        }
        if (!proof.held()) {
            throw stale(Reason.AHEAD, lease, database, ahead, "it says that our owner holds nothing");
        }
        if (proof.token() <= ahead.row().token()) {
            throw stale(Reason.AHEAD, lease, database, ahead, "its number " + proof.token() + " is no higher");
        }
        lease.raise(proof.token());
    }

    /**
     * P6 for a token that the first database issued: it takes the place of the coordinator, and knows whether the fence is still ours. The
     * other database may have issued more numbers, to holders that never used the first.
     */
    private void raiseIssued(FencedLease lease, Database database, Claimed ahead, boolean durable)
            throws RefusedException {
        lease.raise(Math.max(ahead.row().token(), ahead.row().readToken()) + 1);
        for (Map.Entry<Database, Claim> entry : lease.claims().entrySet()) {
            if (entry.getValue().state() != Claim.State.HELD) {
                continue;
            }
            Claimed raised;
            try {
                raised = claim(lease, entry.getKey(), request(lease), durable, List.of(lease.claimId()), true);
            } catch (RefusedException e) {
                // With a token above what that database issued, a later claim elsewhere would not be refused.
                lease.die(Lease.Death.UNUSABLE, e.refused());
                throw e;
            }
            if (!raised.held()) {
                throw stale(
                        Reason.AHEAD,
                        lease,
                        database,
                        ahead,
                        entry.getKey().name() + " says that the fence is ours no more");
            }
        }
    }

    private static Proof await(CompletionStage<Proof> asked)
            throws ExecutionException, TimeoutException, InterruptedException {
        boolean interrupted = Thread.interrupted();
        try {
            return asked.toCompletableFuture().get(COORDINATOR_SECONDS, TimeUnit.SECONDS);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String reason(Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return "the thread was interrupted";
        }
        if (e instanceof TimeoutException) {
            return "the coordinator gave no answer within " + COORDINATOR_SECONDS + " s";
        }
        return String.valueOf(e.getCause());
    }

    /** One database; waits for earlier holders' transactions, in short tries, never longer than the lease has left. */
    private Claimed claim(FencedLease lease, Database database, boolean durable) throws RefusedException {
        return claim(lease, database, request(lease), durable, null, true);
    }

    /**
     * @param over the only leases that the fence may be taken from; null for every older one
     * @param patient whether to wait for a database that does not answer: not where the lease is about to access another one
     */
    private Claimed claim(
            FencedLease lease,
            Database database,
            ClaimRequest request,
            boolean durable,
            List<String> over,
            boolean patient)
            throws RefusedException {
        // A service may send statements on a thread that was interrupted: the driver does not mind, and neither must
        // the claim.
        boolean interrupted = Thread.interrupted();
        try {
            return claimUninterrupted(lease, database, request, durable, over, patient);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** When a claim gives up. */
    private long end(FencedLease lease, long began) {
        long now = System.nanoTime();
        long left = began + rules.claimTimeout().toNanos() - now;
        // What was given back while it lived does not expire.
        return now + (lease.released() ? left : Math.min(left, lease.deadline().left()));
    }

    private Claimed claimUninterrupted(
            FencedLease lease,
            Database database,
            ClaimRequest request,
            boolean durable,
            List<String> over,
            boolean patient)
            throws RefusedException {
        if (!patient && database.failedLately()) {
            throw refused(Reason.DATABASE_FAILED, lease, database, "it did not answer a moment ago");
        }
        long began = System.nanoTime();
        long end = end(lease, began);
        long answerBy = patient ? end : Math.min(end, began + TRY_NANOS);
        SQLException failure = null;
        while (true) {
            // A renewal may have come meanwhile.
            end = end(lease, began);
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            long wait = Math.max(1_000_000L, Math.min(TRY_NANOS, left));
            boolean waits = over == null && database.waiters().tryAcquire();
            try (Connection connection = database.connect(Duration.ofNanos(wait))) {
                failure = null;
                refuseLeap(lease, database, connection);
                Claimed claimed = over == null
                        ? database.sql()
                                .claim(
                                        connection,
                                        request,
                                        durable,
                                        waits ? (int) TimeUnit.NANOSECONDS.toMillis(wait) : 0)
                        : database.sql().claimInTransaction(connection, request, over);
                switch (claimed.status()) {
                    case CLAIMED, OURS -> {
                        if (request.issues()) {
                            lease.issued(claimed.row());
                        }
                        Claim known = lease.claims().get(database);
                        boolean stays = claimed.status() == Claimed.Status.OURS
                                && known != null
                                && known.state() == Claim.State.HELD
                                && known.durable();
                        lease.claims().put(database, Claim.held(durable || stays));
                        tell(
                                lease,
                                database,
                                claimed.status() == Claimed.Status.OURS ? ClaimOutcome.UNCHANGED : ClaimOutcome.CLAIMED,
                                began);
                        return claimed;
                    }
                    case STANDBY -> {
                        lease.claims().put(database, Claim.standby());
                        tell(lease, database, ClaimOutcome.FAILED, began);
                        return claimed;
                    }
                    case BUSY -> {
                        // Somebody's transaction holds the fence; the next try waits again.
                        if (!waits) {
                            pause(end);
                        }
                    }
                    case BEHIND, NOT_HELD, OLD_SNAPSHOT -> {
                        tell(lease, database, ClaimOutcome.REFUSED, began);
                        return claimed;
                    }
                    case DUPLICATE -> {
                        tell(lease, database, ClaimOutcome.REFUSED, began);
                        if (lease.issuedByClaim()) {
                            // Two databases may well have issued one number.
                            return new Claimed(Claimed.Status.BEHIND, claimed.row());
                        }
                        throw refused(Reason.TOKEN_TWICE, lease, database, claimed, null);
                    }
                    case OTHER_LOCK -> {
                        tell(lease, database, ClaimOutcome.REFUSED, began);
                        throw refused(Reason.OTHER_LOCK, lease, database, claimed, null);
                    }
                }
            } catch (SQLException e) {
                failure = e;
                if (request.issues() && over == null) {
                    lease.claimInDoubt();
                    request = request(lease, true);
                }
                if (reasonOf(e) != Reason.DATABASE_FAILED || answerBy - System.nanoTime() <= 0 || !pause(end)) {
                    break;
                }
            } finally {
                if (waits) {
                    database.waiters().release();
                }
            }
        }
        tell(lease, database, ClaimOutcome.FAILED, began);
        if (lease.death() != null) {
            throw new RefusedException(lease.refusedDead().of("access", database.name()));
        }
        if (failure != null) {
            database.failed();
            throw new RefusedException(Refused.under(reasonOf(failure), lease)
                    .of("access", database.name())
                    .because(failure.getMessage())
                    .causedBy(failure));
        }
        throw refused(Reason.CLAIM_WAITED, lease, database, null);
    }

    /** A token that came from another service could be forged, and a huge one would lock everybody out. */
    private void refuseLeap(FencedLease lease, Database database, Connection connection)
            throws SQLException, RefusedException {
        Claim known = lease.claims().get(database);
        if (lease.leap() == 0 || known != null && known.guardable()) {
            return;
        }
        String leap =
                Leap.of(lease, database.sql().look(connection, lease.resource()).orElse(null));
        if (leap != null) {
            throw refused(Reason.LEAP, lease, database, leap);
        }
    }

    private static Reason reasonOf(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return switch (state) {
            // undefined function, schema, table; an argument that older routines do not take
            case "42883", "3F000", "42P01", "22023" -> Reason.NO_FENCE;
            case "42501" -> Reason.NO_RIGHTS;
            default -> Reason.DATABASE_FAILED;
        };
    }

    /** Waits a little before a failed database is tried again; false if there is no time left for it. */
    private static boolean pause(long end) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
            return false;
        }
        try {
            Thread.sleep(Math.min(100, left));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The transaction holds the fence already, by a guard at release: on a connection of our own the claim would wait for it. */
    private void claimInTransaction(FencedLease lease, Database database, Transaction transaction, List<String> over)
            throws RefusedException {
        long began = System.nanoTime();
        List<String> previous = over.isEmpty() ? transaction.leaseIdsOf(lease.resource()) : over;
        ClaimRequest request = request(lease, lease.issuedByClaim() && (lease.token() == 0 || !over.isEmpty()));
        Claimed claimed;
        transaction.session().ours = true;
        try {
            claimed = database.sql().claimInTransaction(transaction.connection(), request, previous);
        } catch (SQLException e) {
            report.guard(
                    lease, database.name(), GuardMoment.IN_TRANSACTION, GuardOutcome.FAILED, System.nanoTime() - began);
            throw new RefusedException(Refused.under(reasonOf(e), lease)
                    .of("access", database.name())
                    .because(e.getMessage())
                    .causedBy(e));
        } finally {
            transaction.session().ours = false;
        }
        boolean held = claimed.status() == Claimed.Status.CLAIMED || claimed.status() == Claimed.Status.OURS;
        report.guard(
                lease,
                database.name(),
                GuardMoment.IN_TRANSACTION,
                held ? GuardOutcome.HELD : GuardOutcome.REFUSED,
                System.nanoTime() - began);
        if (held) {
            if (request.issues()) {
                lease.issued(claimed.row());
            }
            boolean first = lease.claims().isEmpty();
            lease.claims().put(database, Claim.inTransaction(transaction, previous));
            transaction.claimedIn(lease);
            if (first) {
                claimOthers(lease, database);
            }
            return;
        }
        switch (claimed.status()) {
            case BUSY ->
                throw refused(Reason.CLAIM_WAITED, lease, database, "another transaction waits for or holds the fence");
            case DUPLICATE -> throw refused(Reason.TOKEN_TWICE, lease, database, claimed, null);
            case OTHER_LOCK -> throw refused(Reason.OTHER_LOCK, lease, database, claimed, null);
            default -> throw stale(Reason.SUPERSEDED, lease, database, claimed, null);
        }
    }

    /** The first access claims every database, wherever the claim of its own is made. */
    private void claimOthers(FencedLease lease, Database except) {
        for (Database other : due(lease, null)) {
            if (other != except) {
                try {
                    claimLate(lease, other, true);
                } catch (RefusedException e) {
                    lease.claims().put(other, Claim.failed(e.refused()));
                }
            }
        }
    }

    private static ClaimRequest request(FencedLease lease) {
        return request(lease, lease.token() == 0 && lease.issuedByClaim());
    }

    private static ClaimRequest request(FencedLease lease, boolean issue) {
        return new ClaimRequest(
                lease.resource(),
                lease.lock(),
                lease.generation(),
                issue ? null : Long.valueOf(lease.token()),
                lease.claimId(),
                Holder.describe());
    }

    private void tell(FencedLease lease, Database database, ClaimOutcome outcome, long began) {
        report.claim(lease, database.name(), outcome, System.nanoTime() - began);
    }

    /** A refusal that also ends the lease: everywhere, and for good. */
    private static RefusedException stale(
            Reason reason, FencedLease lease, Database database, Claimed claimed, String detail) {
        RefusedException refused = refused(reason, lease, database, claimed, detail);
        lease.die(Lease.Death.STALE, refused.refused());
        return refused;
    }

    private static RefusedException refused(Reason reason, FencedLease lease, Database database, String detail) {
        return refused(reason, lease, database, null, detail);
    }

    private static RefusedException refused(
            Reason reason, FencedLease lease, Database database, Claimed claimed, String detail) {
        Refused refused = Refused.under(reason, lease).of("access", name(database));
        if (claimed != null && claimed.row() != null) {
            refused = refused.fence(claimed.row().claimant());
        }
        return new RefusedException(detail == null ? refused : refused.because(detail));
    }

    private static String name(Database database) {
        return database == null ? null : database.name();
    }
}
