/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Lease;
import java.util.concurrent.atomic.AtomicBoolean;

/** One lock held by one owner of this JVM, from the first acquisition to the last unlock. Thread safe. */
final class Hold {
    final String owner;
    final String rawName;
    final String field;
    final Lease lease;
    final RedisCoordinator coordinator;

    /** Whether the server may be asked: not in observe mode. */
    final boolean asks;

    /** Whether every acquisition had a lease time, so that nothing renews the hold. */
    private volatile boolean explicit;

    private volatile long grantedNanos;
    private volatile int count;
    private final AtomicBoolean probing = new AtomicBoolean();

    Hold(
            String owner,
            String rawName,
            String field,
            Lease lease,
            RedisCoordinator coordinator,
            boolean asks,
            boolean explicit,
            long grantedNanos,
            int count) {
        this.owner = owner;
        this.rawName = rawName;
        this.field = field;
        this.lease = lease;
        this.coordinator = coordinator;
        this.asks = asks;
        this.explicit = explicit;
        this.grantedNanos = grantedNanos;
        this.count = count;
    }

    /** Another acquisition by the same owner. */
    void entered(boolean withLeaseTime, long granted, int holds) {
        explicit &= withLeaseTime;
        grantedNanos = granted;
        count = holds;
    }

    /** An unlock that is not the last. */
    synchronized void left() {
        count--;
    }

    /** How often the owner has acquired without releasing, as this JVM counts. */
    int count() {
        return count;
    }

    /** Whether nothing renews the hold. */
    boolean explicit() {
        return explicit;
    }

    /** The time that the last acquisition or renewal granted. */
    long grantedNanos() {
        return grantedNanos;
    }

    /** Whether the caller may ask the server for the time left, because nobody else is asking. */
    boolean beginProbe() {
        return probing.compareAndSet(false, true);
    }

    /** The answer of a probe has come, or failed. */
    void endProbe() {
        probing.set(false);
    }

    /** A renewal was confirmed. */
    void granted(long nanos) {
        grantedNanos = nanos;
    }
}
