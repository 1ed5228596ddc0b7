/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.report.Claimant;
import java.time.Duration;
import java.time.Instant;

/**
 * A fence, as the database holds it.
 *
 * @param readToken the highest token of a reader; 0 if there was none
 * @param claimedAt by the database's clock
 * @param age since then, by the database's clock, when the row was read
 */
public record FenceRow(
        String resource,
        String lock,
        int generation,
        long token,
        long readToken,
        String leaseId,
        String holder,
        Instant claimedAt,
        Duration age) {
    /** The same, as refusals name it. */
    Claimant claimant() {
        return new Claimant(lock, generation, token, leaseId, holder, claimedAt, age);
    }
}
