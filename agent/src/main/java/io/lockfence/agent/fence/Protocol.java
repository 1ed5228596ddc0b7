/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Rules;
import io.lockfence.agent.fence.postgresql.PostgresDialect;
import io.lockfence.agent.report.Gauge;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.LeaseContext;
import java.util.ArrayList;
import java.util.List;

/** The protocol of DESIGN §2, put together: what happens to leases on one side, to what is sent on the other. Thread safe. */
public final class Protocol {
    private final Databases databases;
    private final Claims claims;
    private final GuardAtRelease guardAtRelease;
    private final Leases leases;
    private final Transactions transactions;

    /**
     * @param rules what to fence
     * @param report hears what happens
     */
    public Protocol(Rules rules, Report report) {
        this.databases = new Databases(rules, List.of(new PostgresDialect()));
        GuardingTransactions guarding = new GuardingTransactions();
        this.claims = new Claims(rules, report, databases, guarding);
        Guard guard = new Guard(report, claims, guarding);
        this.transactions = new Transactions(rules, report, databases, claims, guard, guarding);
        this.guardAtRelease = new GuardAtRelease(rules, report);
        this.leases = new Leases(
                rules, report, claims, guardAtRelease, transactions.outlived(), this::sweep, transactions::inactive);
        transactions.admissions().sweepWith(leases::sweep);
        report.gauge(Gauge.LIVE_LEASES, leases::live);
        report.gauge(Gauge.TRACKED_CONNECTIONS, databases::trackedConnections);
        report.gauge(Gauge.TRANSACTIONS_UNDER_LEASES, transactions::open);
        report.gauge(Gauge.ACTIVE, LeaseContext::active);
    }

    private void sweep() {
        transactions.sweep();
        LeaseContext.forgetEnded();
    }

    public Leases leases() {
        return leases;
    }

    public Transactions transactions() {
        return transactions;
    }

    /** Why other rules cannot be applied to what is open in this JVM; empty if they can. */
    public List<String> hindrances(Rules next) {
        List<String> hindrances = new ArrayList<>(databases.hindrances(next));
        hindrances.addAll(transactions.calls().hindrances(next));
        return hindrances;
    }

    /**
     * Other rules from now on; there are no {@link #hindrances}. Leases that live keep the rule that they were taken under until they end, but for its mode:
     * that is lowered at once where the new rules say so, and never raised.
     */
    public void change(Rules next) {
        claims.change(next);
        guardAtRelease.change(next);
        transactions.change(next);
        leases.change(next);
    }
}
