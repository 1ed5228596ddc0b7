/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.report.GuardMoment;
import io.lockfence.agent.report.GuardOutcome;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The guard at commit (DESIGN P4): after the last write and just before the commit, on the same connection, every lease of the transaction's list is looked
 * for in its fence, which is kept so until the commit has ended. A dead lease is refused before anything is sent (P5).
 */
final class Guard {
    private static final Duration LOOK = Duration.ofSeconds(2);

    private final Report report;
    private final Claims claims;
    private final GuardingTransactions guarding;

    Guard(Report report, Claims claims, GuardingTransactions guarding) {
        this.report = report;
        this.claims = claims;
        this.guarding = guarding;
    }

    /**
     * Guards an open transaction in which something was written.
     *
     * @param together whether to commit in the same message; not done where no lease needs a guard
     * @throws RefusedException the caller rolls back
     * @throws SQLException what is not ours: the commit's own failure, a time-out of the service's that cut the guard off
     */
    void beforeCommit(Transaction transaction, boolean together) throws RefusedException, SQLException {
        Database database = transaction.database();
        List<FencedLease> guarded = new ArrayList<>(transaction.list().length);
        for (FencedLease lease : transaction.list()) {
            boolean news = transaction.reportsAtCommit(lease);
            if (news && lease.released()) {
                report.releasedBeforeCommit(lease, database.name());
            }
            if (lease.death() != null && transaction.wroteUnderLease() && !leftToGuard(lease, database)) {
                Refused refused = lease.refusedDead().of("commit", database.name());
                if (lease.enforced()) {
                    throw new RefusedException(refused);
                }
                if (news) {
                    report.refusal(refused.inShadow());
                }
            } else if (lease.mode() != Mode.OBSERVE && isClaimed(lease, transaction)) {
                guarded.add(lease);
            }
        }
        // A claim made again after a rollback to a savepoint takes the place of earlier leases.
        guarded.removeIf(lease -> !transaction.contains(lease));
        if (guarded.isEmpty()) {
            return;
        }
        refuseToWaitForOurselves(guarded, transaction);
        send(guarded, transaction, together);
    }

    /** {@code expired: guard}: what was sent in time may be committed if the fence still holds the lease. */
    private static boolean leftToGuard(FencedLease lease, Database database) {
        Lease.Death death = lease.death();
        Claim claim = lease.claims().get(database);
        return database.target().letsExpiredCommit()
                && (death == Lease.Death.EXPIRED || death == Lease.Death.LOST)
                && claim != null
                && claim.guardable();
    }

    /** Whether there is a claim to guard. One that a rollback to a savepoint may have undone is made again: it changes nothing if it stands. */
    private boolean isClaimed(FencedLease lease, Transaction transaction) throws RefusedException {
        Claim claim = lease.claims().get(transaction.database());
        if ((claim == null || claim.state() == Claim.State.UNDONE) && lease.death() == null) {
            claims.beforeAccess(lease, transaction.database(), transaction, true);
            claim = lease.claims().get(transaction.database());
        }
        if (claim != null && claim.state() == Claim.State.FAILED && lease.enforced()) {
            // It may have failed on another thread, which claimed for it once more, after this one had seen it stand.
            throw new RefusedException(claim.failure());
        }
        return claim != null && claim.guardable();
    }

    private void refuseToWaitForOurselves(List<FencedLease> guarded, Transaction transaction) throws RefusedException {
        for (FencedLease lease : guarded) {
            Transaction blocking = guarding.thatBlocksGuard(lease.resource(), transaction.database(), transaction);
            if (blocking != null && lease.enforced()) {
                throw new RefusedException(Refused.under(Reason.OWN_TRANSACTION, lease)
                        .of("commit", transaction.database().name())
                        .because("the guard waits for the transaction on " + blocking));
            }
        }
    }

    private void send(List<FencedLease> guarded, Transaction transaction, boolean together)
            throws RefusedException, SQLException {
        Database database = transaction.database();
        List<GuardItem> items = guarded.stream().map(Guard::item).toList();
        Connection connection = transaction.connection();
        long began = System.nanoTime();
        List<GuardFinding> findings;
        transaction.session().ours = true;
        try {
            findings = together
                    ? database.sql().guardAndCommit(connection, items)
                    : database.sql().guard(connection, items);
        } catch (GuardFailedException e) {
            transaction.session().ours = false;
            FencedLease lease = guarded.get(items.indexOf(e.finding().item()));
            tell(guarded, database, GuardOutcome.REFUSED, began);
            throw failed(lease, e, transaction);
        } catch (SQLException e) {
            tell(guarded, database, GuardOutcome.FAILED, began);
            throw e;
        } finally {
            transaction.session().ours = false;
        }
        tell(guarded, database, findings.isEmpty() ? GuardOutcome.HELD : GuardOutcome.REFUSED, began);
        for (GuardFinding finding : findings) {
            FencedLease lease = guarded.get(items.indexOf(finding.item()));
            report.refusal(refused(lease, reason(finding.refusal()), finding.row(), database)
                    .inShadow());
        }
    }

    static GuardItem item(FencedLease lease) {
        return new GuardItem(
                lease.resource(), lease.lock(), lease.generation(), lease.token(), lease.claimId(), lease.enforced());
    }

    private RefusedException failed(FencedLease lease, GuardFailedException failure, Transaction transaction)
            throws SQLException {
        Database database = transaction.database();
        Reason reason = reason(failure.finding().refusal());
        FenceRow row = failure.finding().row();
        if (failure.finding().refusal() == Refusal.UNGUARDABLE) {
            // The fence may have moved since the transaction's snapshot; only a fresh one can tell.
            Optional<FenceRow> now;
            try (Connection own = database.connect(LOOK)) {
                now = database.sql().look(own, lease.resource());
            } catch (SQLException e) {
                // On a connection of ours: no business of the service's pool.
                return new RefusedException(refused(lease, Reason.DATABASE_FAILED, null, database)
                        .because(e.getMessage())
                        .causedBy(e));
            }
            row = now.orElse(null);
            if (row == null) {
                reason = Reason.CLAIM_LOST;
            } else if (!row.leaseId().equals(lease.claimId())) {
                reason = row.generation() > lease.generation()
                                || (row.generation() == lease.generation() && row.token() > lease.token())
                        ? Reason.SUPERSEDED
                        : Reason.CLAIM_LOST;
            } else if (transaction.openBeforeLease()) {
                reason = Reason.OLD_SNAPSHOT;
            } else {
                throw new SQLException(failure.getMessage(), "40001", failure.getCause());
            }
        }
        Refused refused = refused(lease, reason, row, database).causedBy(failure.getCause());
        if (reason != Reason.OLD_SNAPSHOT) {
            lease.die(Lease.Death.STALE, refused);
        }
        return new RefusedException(refused);
    }

    private static Refused refused(FencedLease lease, Reason reason, FenceRow row, Database database) {
        Refused refused = Refused.under(reason, lease).of("commit", database.name());
        return row == null ? refused : refused.fence(row.claimant());
    }

    static Reason reason(Refusal refusal) {
        return switch (refusal) {
            case STALE -> Reason.SUPERSEDED;
            case DUPLICATE_TOKEN -> Reason.TOKEN_TWICE;
            case OTHER_LOCK -> Reason.OTHER_LOCK;
            case CLAIM_LOST -> Reason.CLAIM_LOST;
            case UNGUARDABLE -> Reason.OLD_SNAPSHOT;
            case EXPIRED, UNLEASED, UNKNOWN -> Reason.DATABASE_FAILED;
        };
    }

    private void tell(List<FencedLease> guarded, Database database, GuardOutcome outcome, long began) {
        long nanos = System.nanoTime() - began;
        for (FencedLease lease : guarded) {
            report.guard(lease, database.name(), GuardMoment.COMMIT, outcome, nanos);
        }
    }
}
