/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.bootstrap.Refusal;
import java.util.Objects;

/**
 * A lease that its guard found dead.
 *
 * @param refusal {@code STALE}, {@code DUPLICATE_TOKEN}, {@code OTHER_LOCK}, {@code CLAIM_LOST}; {@code UNGUARDABLE} if the fence may have moved
 *     since the transaction's snapshot, so that only a look from a fresh transaction can tell; {@code UNKNOWN} if the fence could not be kept in
 *     time (of items that are not enforced)
 * @param item which of the items
 * @param row the fence as the guard saw it; null if it is missing, or if the driver withholds the details of errors
 */
public record GuardFinding(Refusal refusal, GuardItem item, FenceRow row) {
    public GuardFinding {
        Objects.requireNonNull(refusal, "refusal");
        Objects.requireNonNull(item, "item");
    }
}
