/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * What the guard before a release found for one lease.
 *
 * @param item the lease
 * @param status only {@code HELD} keeps the fence until the transaction ends
 * @param row the fence as it was seen; null if it is missing or was not looked at
 */
public record ReleaseGuard(GuardItem item, Status status, FenceRow row) {
    public ReleaseGuard {
        Objects.requireNonNull(item, "item");
        Objects.requireNonNull(status, "status");
    }

    /** What the guard found. */
    public enum Status {
        /** The fence holds the lease, and is kept so until the transaction ends. */
        HELD,
        /** A newer lease has claimed. */
        STALE,
        /** The fence holds less than was claimed, or is missing: the database lost the claim. */
        LOST,
        /** The same token, claimed by another lease. */
        DUPLICATE,
        /** The fence belongs to another lock. */
        OTHER_LOCK,
        /** The fence could not be kept within the wait. */
        BUSY,
        /** The fence was claimed after the transaction's snapshot was taken. */
        OLD_SNAPSHOT,
        /** The server is in recovery; there is nothing to guard. */
        STANDBY
    }
}
