/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import java.util.concurrent.atomic.AtomicBoolean;

/** One lock held by one owner of this JVM, from the first acquisition to the last release: what {@link HeldLocks} keeps. Thread safe. */
public class HeldLock {
    private final String owner;
    private final Coordinator coordinator;
    private final boolean asks;
    private volatile Lease lease;
    private volatile Proof proof;
    private volatile long askedAt;
    private volatile int count;
    private volatile boolean gone;
    private final AtomicBoolean asking = new AtomicBoolean();

    /**
     * @param owner as the agent knows it
     * @param coordinator answers whether the hold is still there, and for how long
     * @param asks whether the coordinator may be asked: not in observe mode, where it must answer from what the JVM knows
     * @param proof what the coordinator said when it was acquired
     */
    public HeldLock(String owner, Coordinator coordinator, boolean asks, Proof proof) {
        this.owner = owner;
        this.coordinator = coordinator;
        this.asks = asks;
        this.proof = proof;
        this.count = proof.holdCount();
        this.askedAt = proof.sentAt();
    }

    public final String owner() {
        return owner;
    }

    /** That the hold has; null while it begins. */
    public final Lease lease() {
        return lease;
    }

    final void begun(Lease fresh) {
        lease = fresh;
    }

    /** Whether its lease has died. */
    public final boolean isDead() {
        Lease known = lease;
        return known == null ? !proof.held() : known.death() != null;
    }

    /** Whether it is asked for: while its lease lives, and while one that covers the process has only expired. */
    final boolean matters() {
        Lease known = lease;
        return !isDead() || !gone && known != null && known.ofProcess() && known.death() == Lease.Death.EXPIRED;
    }

    /** The coordinator has said, or the library did, that there is no such hold: whatever its lease died of. */
    final void gone() {
        gone = true;
    }

    /** Whether the service has given it back, or the agent has forgotten it. */
    final boolean isOver() {
        Lease known = lease;
        return known != null && (known.released() || known.forgotten());
    }

    public final Coordinator coordinator() {
        return coordinator;
    }

    /** Whether the coordinator may be asked. */
    public final boolean asks() {
        return asks;
    }

    /** How often the owner has acquired without releasing, as this JVM counts. */
    public final int count() {
        return count;
    }

    /** Another acquisition by the same owner, or a release that was not the last. */
    public final void count(int holds) {
        count = holds;
    }

    /** What the coordinator said last, with the count of now. */
    public final Proof proof() {
        Proof last = proof;
        return new Proof(last.sentAt(), true, last.token(), last.timeLeftNanos(), count);
    }

    /** Whether an answer tells that the hold was prolonged; else it only tells that the hold is there. Every one does, where nothing else is said. */
    protected boolean prolonged(Proof answer) {
        return true;
    }

    final void proved(Proof last) {
        proof = last;
    }

    /** Since the coordinator was asked last, whatever it answered. */
    final long sinceAskedNanos() {
        return System.nanoTime() - askedAt;
    }

    /** Whether an answer is awaited. */
    final boolean isAsking() {
        return asking.get();
    }

    /** Whether the caller may ask, because nobody else is asking. */
    final boolean beginAsking() {
        if (!asking.compareAndSet(false, true)) {
            return false;
        }
        askedAt = System.nanoTime();
        return true;
    }

    final void endAsking() {
        asking.set(false);
    }
}
