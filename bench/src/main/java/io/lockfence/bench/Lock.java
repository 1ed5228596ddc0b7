/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Takes a lock as an integration would report it, on the current thread. */
final class Lock {
    private static final long LEASE_NANOS = TimeUnit.HOURS.toNanos(1);

    private Lock() {}

    /** @param owner that no other lease has */
    static Lease take(String owner) {
        Proof proof = new Proof(System.nanoTime(), true, 1_000_000, LEASE_NANOS, 1);
        Lease lease = Seams.leaseEvents()
                .acquired(new Acquisition(
                        "redisson",
                        "bench:" + owner,
                        owner,
                        LeaseContext.ofCurrentThread(),
                        true,
                        proof,
                        null,
                        true,
                        new Coordinator() {
                            @Override
                            public CompletionStage<Proof> ask() {
                                return CompletableFuture.completedFuture(proof);
                            }

                            @Override
                            public CompletionStage<Proof> raiseAbove(long token) {
                                return CompletableFuture.failedFuture(new UnsupportedOperationException());
                            }
                        }));
        if (lease == null || LeaseContext.current().length != 1) {
            throw new IllegalStateException("no lease: is bench/lockfence.yaml in use?");
        }
        return lease;
    }
}
