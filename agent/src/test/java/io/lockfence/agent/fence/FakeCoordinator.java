/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One lock at a coordinator that does what a test says: who holds it, which number comes next, whether its counter can be raised. */
final class FakeCoordinator {
    private final String lock;
    private String holder;
    private int holdCount;
    private long counter;
    private boolean raisable = true;

    FakeCoordinator(String lock, long counter) {
        this.lock = lock;
        this.counter = counter;
    }

    void forgetCounter(long restartedAt) {
        counter = restartedAt;
    }

    long counter() {
        return counter;
    }

    void cannotRaise() {
        raisable = false;
    }

    /** The hold is gone, and nobody was told. */
    void lose() {
        holder = null;
        holdCount = 0;
    }

    Acquisition acquire(String owner, Duration lease) {
        return acquire(owner, lease, false);
    }

    Acquisition acquire(String owner, Duration lease, boolean explicit) {
        if (owner.equals(holder)) {
            holdCount++;
        } else {
            holder = owner;
            holdCount = 1;
            counter++;
        }
        Proof proof = new Proof(System.nanoTime(), true, counter, lease.toNanos(), holdCount);
        return new Acquisition(
                "redisson",
                lock,
                lock + "|" + owner,
                LeaseContext.ofCurrentThread(),
                true,
                proof,
                null,
                explicit,
                asOwner(owner, lease));
    }

    private Coordinator asOwner(String owner, Duration lease) {
        return new Coordinator() {
            @Override
            public CompletionStage<Proof> ask() {
                long now = System.nanoTime();
                return CompletableFuture.completedFuture(
                        owner.equals(holder)
                                ? new Proof(now, true, 0, lease.toNanos(), holdCount)
                                : Proof.notHeld(now));
            }

            @Override
            public CompletionStage<Proof> raiseAbove(long token) {
                long now = System.nanoTime();
                if (!raisable) {
                    return CompletableFuture.failedFuture(
                            new UnsupportedOperationException("numbers cannot be raised"));
                }
                if (!owner.equals(holder)) {
                    return CompletableFuture.completedFuture(Proof.notHeld(now));
                }
                counter = Math.max(counter, token) + 1;
                return CompletableFuture.completedFuture(new Proof(now, true, counter, lease.toNanos(), holdCount));
            }
        };
    }
}
