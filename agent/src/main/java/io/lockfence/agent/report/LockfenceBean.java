/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.Map;
import java.util.TreeMap;

/** The bean over a report. Thread safe. */
record LockfenceBean(Report report) implements LockfenceMXBean {
    @Override
    public String getVersion() {
        return Version.current();
    }

    @Override
    public String getMode() {
        return report.mode();
    }

    @Override
    public String getRules() {
        return report.rules();
    }

    @Override
    public Map<String, String> getLibraries() {
        return report.libraries();
    }

    @Override
    public long getLiveLeases() {
        return report.gauge(Gauge.LIVE_LEASES);
    }

    @Override
    public long getTrackedConnections() {
        return report.gauge(Gauge.TRACKED_CONNECTIONS);
    }

    @Override
    public long getTransactionsUnderLeases() {
        return report.gauge(Gauge.TRANSACTIONS_UNDER_LEASES);
    }

    @Override
    public long getActive() {
        return report.gauge(Gauge.ACTIVE);
    }

    @Override
    public long getLeasesAcquired() {
        return report.counters().acquired();
    }

    @Override
    public long getLeasesRenewed() {
        return report.counters().renewed();
    }

    @Override
    public long getLeasesReleased() {
        return report.counters().released();
    }

    @Override
    public Map<String, Long> getLeasesDied() {
        return named(report.counters().died());
    }

    @Override
    public long getLeasesOverrun() {
        return report.counters().overran();
    }

    @Override
    public long getLeasesLeftOver() {
        return report.counters().leftOver();
    }

    @Override
    public long getReleasedBeforeCommit() {
        return report.counters().releasedBeforeCommit();
    }

    @Override
    public Map<String, Long> getClaims() {
        return named(report.counters().claims());
    }

    @Override
    public Map<String, Long> getGuards() {
        return named(report.counters().guards());
    }

    @Override
    public Map<String, Long> getRefusals() {
        return named(report.counters().refused());
    }

    @Override
    public long getRefusalsTotal() {
        return Counters.sum(report.counters().refused());
    }

    @Override
    public Map<String, Long> getWouldHaveRefused() {
        return named(report.counters().wouldHaveRefused());
    }

    @Override
    public long getUnleasedWrites() {
        return report.counters().unleased();
    }

    @Override
    public long getUnsupportedLocks() {
        return report.counters().unsupportedLocks();
    }

    @Override
    public long getUnknownHolds() {
        return report.unknownHolds();
    }

    @Override
    public long getReceivedRequests() {
        return report.receivedRequests();
    }

    @Override
    public long getRejectedRequests() {
        return report.rejectedRequests();
    }

    @Override
    public long getAdoptedConnections() {
        return report.adoptedConnections();
    }

    @Override
    public long getAdoptedInTransaction() {
        return report.adoptedInTransaction();
    }

    @Override
    public long getFaults() {
        return report.counters().faults();
    }

    @Override
    public String summary() {
        return String.join("\n", report.summary());
    }

    private static Map<String, Long> named(Map<? extends Enum<?>, Long> counted) {
        Map<String, Long> named = new TreeMap<>();
        counted.forEach((constant, number) -> named.put(constant.name(), number));
        return named;
    }
}
