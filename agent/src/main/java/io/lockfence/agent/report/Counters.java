/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import java.util.Map;

/**
 * What was counted since the JVM began, at one moment; each number is exact, but they are not read at the same instant.
 *
 * @param acquired leases that began
 * @param renewed renewals seen
 * @param shortened shortenings seen
 * @param released leases that ended by their last unlock
 * @param died leases that died, by how
 * @param overran leases that were released after their deadline, or held past it
 * @param leftOver leases set aside at the end of a unit of work
 * @param releasedBeforeCommit locks released while a transaction under them was open
 * @param claims claims made, by outcome
 * @param guards guards run, by outcome
 * @param refused effects refused, by kind
 * @param wouldHaveRefused effects that enforce mode would have refused, by kind
 * @param unleased writes under no lease to targets whose rule reports or rejects them
 * @param unsupportedLocks acquisitions of lock types that are not supported
 * @param faults of Lockfence itself
 */
public record Counters(
        long acquired,
        long renewed,
        long shortened,
        long released,
        Map<Lease.Death, Long> died,
        long overran,
        long leftOver,
        long releasedBeforeCommit,
        Map<ClaimOutcome, Long> claims,
        Map<GuardOutcome, Long> guards,
        Map<Refusal, Long> refused,
        Map<Refusal, Long> wouldHaveRefused,
        long unleased,
        long unsupportedLocks,
        long faults) {

    /** The sum over all outcomes or kinds. */
    public static long sum(Map<?, Long> counted) {
        long sum = 0;
        for (long number : counted.values()) {
            sum += number;
        }
        return sum;
    }
}
