/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.api;

import io.lockfence.bootstrap.Lease;
import java.time.Duration;

/**
 * One hold of a lock, as the service may look at it. What it says is true at the moment it is asked: renewals, losses and the release are seen at once, on
 * every thread. Two of them are equal if they are the same hold. Thread safe.
 */
public final class HeldLease {
    private static final Duration LONGEST = Duration.ofDays(365);

    private final Lease lease;

    HeldLease(Lease lease) {
        this.lease = lease;
    }

    Lease lease() {
        return lease;
    }

    /** The lock's name at the coordinator. */
    public String lock() {
        return lease.lock();
    }

    /** What its token is scoped to, as the rules map the lock. */
    public String resource() {
        return lease.resource();
    }

    /** The fencing token; 0 while there is none: where a database issues it, that is at the first access. */
    public long token() {
        return lease.token();
    }

    /** A random id that no other hold has, in hexadecimal digits. */
    public String id() {
        return lease.leaseId();
    }

    /**
     * Whether it still protects: it was not given back, its deadline has not passed, and nobody has said that it is lost. To be told so is no promise for the
     * next moment; that is what fences are for.
     */
    public boolean isAlive() {
        return !lease.released() && lease.death() == null;
    }

    /**
     * The time until its deadline, which a renewal moves; zero if it is not alive, and a year at most: the deadline of a lease that came with a request is its
     * caller's to know.
     */
    public Duration timeLeft() {
        if (!isAlive()) {
            return Duration.ZERO;
        }
        Duration left = Duration.ofNanos(Math.max(0, lease.deadline().left()));
        return left.compareTo(LONGEST) < 0 ? left : LONGEST;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeldLease held && held.lease == lease;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(lease);
    }

    /** For logs. */
    @Override
    public String toString() {
        return lease.toString();
    }
}
