/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * The answer to a claim.
 *
 * @param status what became of it
 * @param row the fence after it; null if there is none, or if it could not be looked at
 */
public record Claimed(Status status, FenceRow row) {
    public Claimed {
        Objects.requireNonNull(status, "status");
    }

    /** Whether the fence is at the lease that asked. */
    public boolean held() {
        return status == Status.CLAIMED || status == Status.OURS;
    }

    /** What became of a claim. Only {@link #CLAIMED} has changed the fence. */
    public enum Status {
        /** The fence has advanced to the lease. */
        CLAIMED,
        /** The fence was at exactly this lease already. */
        OURS,
        /** The fence belongs to another lock: a mistake in the rules, or a lock that was renamed. */
        OTHER_LOCK,
        /** The same generation and token, claimed by another lease: the coordinator issued it twice. */
        DUPLICATE,
        /** The fence is ahead of the lease; the row tells whether the generations are equal. */
        BEHIND,
        /** Somebody keeps the fence: a guard whose transaction has not ended, or another claim. */
        BUSY,
        /** The server is in recovery and cannot be claimed. */
        STANDBY,
        /** In a transaction: the fence is not at one of the earlier leases that the caller named. */
        NOT_HELD,
        /** In a transaction: the fence was claimed after its snapshot was taken. */
        OLD_SNAPSHOT
    }
}
