/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.time.Duration;
import java.time.Instant;

/**
 * What a fence held when it refused a lease: who claimed it, and when.
 *
 * @param lock the name of the lock that the fence belongs to
 * @param generation of that lock's coordinator
 * @param token the highest one claimed
 * @param leaseId of the lease that claimed it
 * @param holder {@link Holder#describe()} of that JVM; null if unknown
 * @param claimedAt by the database's clock; null if unknown
 * @param age since then, by the database's clock; null if unknown
 */
public record Claimant(
        String lock, int generation, long token, String leaseId, String holder, Instant claimedAt, Duration age) {}
