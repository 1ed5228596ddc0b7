/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;

/**
 * One refusal, with all that its message must name. Begin with {@link #under}, {@link #dead} or {@link #unleased}, which describe
 * the current thread and instant, and add what is known: each addition returns a copy. Immutable.
 */
public final class Refused implements Cloneable {
    private final Reason reason;
    private final Lease lease;
    private final long token;
    private final String thread;
    private long ageNanos;
    private long overdueNanos;
    private String effect = "write";
    private String target;
    private Claimant fence;
    private String detail;
    private boolean shadow;
    private boolean repeated;
    private Throwable cause;

    private Refused(Reason reason, Lease lease) {
        this.reason = reason;
        this.lease = lease;
        this.token = lease == null ? 0 : lease.token();
        this.ageNanos = lease == null ? 0 : lease.age();
        this.overdueNanos = lease == null ? 0 : -lease.deadline().left();
        this.thread = Thread.currentThread().getName();
    }

    /** A refusal of a write under a lease. */
    public static Refused under(Reason reason, Lease lease) {
        return new Refused(reason, lease);
    }

    /** The refusal that a dead lease leads to. */
    public static Refused dead(Lease lease) {
        Lease.Death death = lease.death();
        if (death == null) {
            throw new IllegalArgumentException("alive: " + lease);
        }
        return switch (death) {
            case STALE -> new Refused(Reason.SUPERSEDED, lease);
            case EXPIRED -> new Refused(Reason.DEADLINE, lease);
            case LOST -> new Refused(Reason.LOST, lease).because(lease.deathCause());
            case UNUSABLE ->
                new Refused(lease.token() == 0 ? Reason.NO_TOKEN : Reason.BOOKS, lease).because(lease.deathCause());
        };
    }

    /** A refusal of a write under no lease, to a target of this name. */
    public static Refused unleased(String target) {
        return unleased(Reason.NO_LEASE, target);
    }

    /** A refusal of a write under no lease for another reason than that the rules demand one. */
    public static Refused unleased(Reason reason, String target) {
        return new Refused(reason, null).of("write", target);
    }

    /**
     * What was refused and where.
     *
     * @param effect one word, such as {@code write}, {@code commit} or {@code read}
     * @param target the name of the target in the rules; null if there is none
     */
    public Refused of(String effect, String target) {
        Refused copy = copy();
        copy.effect = effect;
        copy.target = target;
        return copy;
    }

    /** What the fence held; null if it was not asked. */
    public Refused fence(Claimant claimant) {
        Refused copy = copy();
        copy.fence = claimant;
        return copy;
    }

    /** More, in words for the service's operator, such as a database error; no credentials; may be null. */
    public Refused because(String words) {
        Refused copy = copy();
        copy.detail = words;
        return copy;
    }

    /** What led to it; the cause of {@link #exception()}; may be null. */
    public Refused causedBy(Throwable thrown) {
        Refused copy = copy();
        copy.cause = thrown;
        return copy;
    }

    /** The same, only reported. */
    public Refused inShadow() {
        Refused copy = copy();
        copy.shadow = true;
        return copy;
    }

    /** The same, met once more by a service that goes on in the refused transaction. */
    public Refused again() {
        Refused copy = copy();
        copy.repeated = true;
        return copy;
    }

    /** The same at another instant. */
    Refused timed(long newAgeNanos, long newOverdueNanos) {
        Refused copy = copy();
        copy.ageNanos = newAgeNanos;
        copy.overdueNanos = newOverdueNanos;
        return copy;
    }

    public Reason reason() {
        return reason;
    }

    /** What the service sees. */
    public Refusal kind() {
        return reason.kind();
    }

    /** The lease; null where there is none. */
    public Lease lease() {
        return lease;
    }

    /** The lock's name; null where there is no lease. */
    public String lock() {
        return lease == null ? null : lease.lock();
    }

    /** The resource; null where there is no lease. */
    public String resource() {
        return lease == null ? null : lease.resource();
    }

    /** The lease's token when it was refused; 0 if none could be minted. */
    public long token() {
        return token;
    }

    /** The lease's age when it was refused, in nanoseconds. */
    public long ageNanos() {
        return ageNanos;
    }

    /** How long the lease was past its deadline, in nanoseconds; zero or less if it was not. */
    public long overdueNanos() {
        return overdueNanos;
    }

    /** The thread that met the refusal. */
    public String thread() {
        return thread;
    }

    public String effect() {
        return effect;
    }

    /** Null if there is none. */
    public String target() {
        return target;
    }

    /** Null if it was not asked. */
    public Claimant fence() {
        return fence;
    }

    /** Null if there is none. */
    public String detail() {
        return detail;
    }

    /** Whether the refusal is only reported. */
    public boolean shadow() {
        return shadow;
    }

    /** Whether the transaction had been refused before. */
    public boolean repeated() {
        return repeated;
    }

    /** Resource, tokens, age of the lease, who claimed, and what to do. */
    public String message() {
        return RefusalMessage.of(this);
    }

    /** The exception for the service; what it is wrapped in depends on the target. */
    public FencedException exception() {
        return new FencedException(kind(), resource(), message(), cause);
    }

    private Refused copy() {
        try {
            return (Refused) clone();
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
