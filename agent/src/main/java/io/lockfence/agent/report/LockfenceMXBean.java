/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.Map;

/**
 * {@code io.lockfence:type=Lockfence}: the counters since the JVM began, and what is live now. Open types only, so that a remote
 * client needs no class of ours.
 */
public interface LockfenceMXBean {
    /** Of Lockfence. */
    String getVersion();

    /** The global mode: {@code off}, {@code observe}, {@code shadow} or {@code enforce}. */
    String getMode();

    /** Where the rules came from. */
    String getRules();

    /** Each library seen, with its level in words. */
    Map<String, String> getLibraries();

    /** Leases that have neither been released nor forgotten. */
    long getLiveLeases();

    /** Connections that Lockfence keeps books on. */
    long getTrackedConnections();

    /** Open transactions with leases on their list. */
    long getTransactionsUnderLeases();

    /** What keeps woven calls from being idle: living leases, transactions under leases, rules on writes under none. */
    long getActive();

    /** Leases that began. */
    long getLeasesAcquired();

    /** Renewals seen. */
    long getLeasesRenewed();

    /** Leases that ended by their last unlock. */
    long getLeasesReleased();

    /** Leases that died, by how: STALE, EXPIRED, LOST, UNUSABLE. */
    Map<String, Long> getLeasesDied();

    /** Leases that were held past their deadline. */
    long getLeasesOverrun();

    /** Leases set aside at the end of a unit of work. */
    long getLeasesLeftOver();

    /** Locks released while a transaction under them was open. */
    long getReleasedBeforeCommit();

    /** Claims made, by outcome: CLAIMED, UNCHANGED, REFUSED, FAILED. */
    Map<String, Long> getClaims();

    /** Guards run, by outcome: HELD, REFUSED, FAILED. */
    Map<String, Long> getGuards();

    /** Effects refused, by kind. */
    Map<String, Long> getRefusals();

    /** Effects refused, of all kinds. */
    long getRefusalsTotal();

    /** Effects that enforce mode would have refused, by kind. */
    Map<String, Long> getWouldHaveRefused();

    /** Writes under no lease to targets whose rule is {@code report}. */
    long getUnleasedWrites();

    /** Acquisitions of lock types that are not supported. */
    long getUnsupportedLocks();

    /** Holds of locks that are older than Lockfence in this JVM, as far as they were noticed: nothing is fenced under them. */
    long getUnknownHolds();

    /** Requests that came in with the leases of a caller, and were believed. */
    long getReceivedRequests();

    /** Requests that came in with a header that was not believed: malformed, from a stranger, or with a token that leaps. */
    long getRejectedRequests();

    /** Connections that are older than Lockfence in this JVM, and were met since. */
    long getAdoptedConnections();

    /** How many of those were in a transaction when they were met. */
    long getAdoptedInTransaction();

    /** Faults of Lockfence itself. */
    long getFaults();

    /** The summary that is printed when the JVM ends, as it stands now. */
    String summary();
}
