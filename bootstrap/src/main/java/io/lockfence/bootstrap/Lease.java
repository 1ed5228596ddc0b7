/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.Objects;

/**
 * One outermost hold of a lock by one owner. Re-entry keeps the lease; the last unlock ends it.
 *
 * <p>A lease is shared by reference: renewal, loss and release are seen by every thread at once. Its death is sticky. Thread safe.
 */
public class Lease {
    /** How a lease died. */
    public enum Death {
        /** A newer lease has claimed the fence. */
        STALE,
        /** Past its deadline. */
        EXPIRED,
        /** The coordinator said that it is lost. */
        LOST,
        /** No token could be minted, or our own books on it failed: it can protect nothing. */
        UNUSABLE
    }

    private final String lock;
    private final String resource;
    private final String leaseId;
    private final String owner;
    private final int generation;
    private final Deadline deadline;
    private final long beganAt;
    private volatile long token;
    private volatile Death death;
    private volatile String deathCause;
    private volatile boolean released;
    private volatile boolean forgotten;

    /**
     * @param lock the lock's name at the coordinator
     * @param resource what the token is scoped to
     * @param leaseId 32 hexadecimal digits, never used before
     * @param owner who holds the lock, in the coordinator's terms, and unique among all leases of this JVM that live
     * @param generation of the coordinator, from the rules
     * @param token the fencing token; 0 if none could be minted
     * @param deadline of the hold
     */
    public Lease(
            String lock, String resource, String leaseId, String owner, int generation, long token, Deadline deadline) {
        this.lock = Objects.requireNonNull(lock);
        this.resource = Objects.requireNonNull(resource);
        this.leaseId = Objects.requireNonNull(leaseId);
        this.owner = Objects.requireNonNull(owner);
        this.generation = generation;
        this.token = token;
        this.deadline = Objects.requireNonNull(deadline);
        this.beganAt = System.nanoTime();
    }

    public final String lock() {
        return lock;
    }

    public final String resource() {
        return resource;
    }

    public final String leaseId() {
        return leaseId;
    }

    public final String owner() {
        return owner;
    }

    public final int generation() {
        return generation;
    }

    public final long token() {
        return token;
    }

    public final Deadline deadline() {
        return deadline;
    }

    /** Nanoseconds since the lease began. */
    public final long age() {
        return System.nanoTime() - beganAt;
    }

    /** Takes a higher token of the same hold: only at the lease's first claim (DESIGN P6). */
    public final void raise(long higher) {
        token = higher;
    }

    /**
     * How the lease died, or null while it lives. Reads the clock; a deadline that has passed is remembered for good.
     * A lease that was released while it lived does not expire: what it sent before is judged by the guard alone.
     */
    public final Death death() {
        Death known = death;
        if (known == null && !released && deadline.passed()) {
            die(Death.EXPIRED, "its deadline has passed");
            known = death;
        }
        return known;
    }

    /** In words, why it died; null while it lives. */
    public final String deathCause() {
        return deathCause;
    }

    /** Ends the lease for good; the first cause stays. Returns whether this call was the one. */
    public final boolean die(Death how, String why) {
        synchronized (this) {
            if (death != null) {
                return false;
            }
            deathCause = why;
            death = how;
        }
        died(how, why);
        return true;
    }

    /** Whether it covers the work of every thread of the JVM. */
    public boolean ofProcess() {
        return false;
    }

    /** Whether it is the lease of a caller, and came with a request. */
    public boolean ofCaller() {
        return false;
    }

    /** An integration has put the lease on one more context: its end takes it off there as well. */
    public void joined(LeaseContext context) {}

    /** Called once, on the thread that noticed, when the lease has died; for the owner of the lease's books. Must not throw. */
    protected void died(Death how, String why) {}

    /** Whether the last unlock has begun. */
    public final boolean released() {
        return released;
    }

    /** The last unlock has begun: at its entry, since a release can fail half-way (CURATOR-678). */
    public final void release() {
        released = true;
    }

    /** Whether the agent has taken it out of its books, released or not: nothing more will be sent under it, and nobody need ask for its hold. */
    public final boolean forgotten() {
        return forgotten;
    }

    /** The agent takes it out of its books. */
    public final void forget() {
        forgotten = true;
    }

    @Override
    public String toString() {
        return "lease of " + resource + " (lock " + lock + ", token " + token + ", lease id " + leaseId + ")";
    }
}
