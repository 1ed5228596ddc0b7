/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.report.GuardMoment;
import io.lockfence.agent.report.GuardOutcome;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Session;
import java.sql.SQLException;
import java.util.List;

/**
 * The guard before a lock is given back inside an open transaction, the common unlock-in-finally-inside-@Transactional (DESIGN P4): the next holder's claim then
 * waits for this commit instead of reading old data.
 *
 * <p>Also where only reads were sent so far: an object-relational mapper flushes its writes at the commit, after the unlock.
 */
final class GuardAtRelease {
    private static final int WAIT_MILLIS = 1_000;

    private volatile Rules rules;
    private final Report report;

    GuardAtRelease(Rules rules, Report report) {
        this.rules = rules;
        this.report = report;
    }

    /** Other rules from now on. */
    void change(Rules next) {
        rules = next;
    }

    /** Guards the lease's open transactions that the current thread owns. Never throws: an unlock must go through. */
    void run(FencedLease lease) {
        run(lease, null);
    }

    /** @param except whose transaction is about to end itself, behind its own guard; null for none */
    void run(FencedLease lease, Session except) {
        if (lease.mode() == Mode.OBSERVE || !lease.rule().guardAtRelease()) {
            return;
        }
        for (Transaction transaction : lease.transactions()) {
            try {
                if (transaction.session() != except
                        && transaction.thread() == Thread.currentThread()
                        && guardable(lease, transaction)) {
                    guard(lease, transaction);
                }
            } catch (RuntimeException e) {
                lease.die(Lease.Death.UNUSABLE, "its guard before the release failed: " + e);
                report.fault(e);
            }
        }
    }

    private static boolean guardable(FencedLease lease, Transaction transaction) {
        Claim claim = lease.claims().get(transaction.database());
        return lease.death() == null
                && claim != null
                && claim.guardable()
                && transaction.session().transactionOpen()
                && !transaction.session().busy()
                && !transaction.session().readOnly();
    }

    private void guard(FencedLease lease, Transaction transaction) {
        Database database = transaction.database();
        long began = System.nanoTime();
        GuardOutcome outcome = GuardOutcome.FAILED;
        transaction.session().ours = true;
        try {
            ReleaseGuard answer = database.sql()
                    .guardAtRelease(transaction.connection(), List.of(Guard.item(lease)), WAIT_MILLIS, (int)
                            rules.guardIdle().toMillis())
                    .get(0);
            switch (answer.status()) {
                case HELD -> {
                    outcome = GuardOutcome.HELD;
                    transaction.guarded(lease.resource());
                }
                case STALE, LOST, DUPLICATE, OTHER_LOCK -> {
                    outcome = GuardOutcome.REFUSED;
                    dies(lease, answer, database);
                }
                // The guard at commit decides.
                case BUSY, OLD_SNAPSHOT, STANDBY -> {}
            }
        } catch (SQLException e) {
            // The transaction has failed, or the connection: then nothing of it will be committed, or the guard at
            // commit decides.
        } finally {
            transaction.session().ours = false;
        }
        report.guard(lease, database.name(), GuardMoment.RELEASE, outcome, System.nanoTime() - began);
    }

    private static void dies(FencedLease lease, ReleaseGuard answer, Database database) {
        Reason reason = switch (answer.status()) {
            case LOST -> Reason.CLAIM_LOST;
            case DUPLICATE -> Reason.TOKEN_TWICE;
            case OTHER_LOCK -> Reason.OTHER_LOCK;
            default -> Reason.SUPERSEDED;
        };
        Refused refused = Refused.under(reason, lease).of("commit", database.name());
        lease.die(
                Lease.Death.STALE,
                answer.row() == null ? refused : refused.fence(answer.row().claimant()));
    }
}
