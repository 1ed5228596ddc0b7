/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

/** What is counted where it lives, and asked for only when somebody looks. All return to zero in an idle service. */
public enum Gauge {
    /** Leases that have neither been released nor forgotten. */
    LIVE_LEASES,
    /** Connections that Lockfence keeps books on. */
    TRACKED_CONNECTIONS,
    /** Open transactions with leases on their list. */
    TRANSACTIONS_UNDER_LEASES,
    /** {@link io.lockfence.bootstrap.LeaseContext#active()}: what keeps woven calls from being idle. */
    ACTIVE
}
