/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.HeldLock;
import io.lockfence.instrumentation.HeldLocks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** When the coordinators of held locks are asked, and for how long. */
class HeldLocksTest {
    private final HeldLocks held = new HeldLocks("test");

    /** Tells when it is asked first, and never answers. */
    private static final class Silent implements Coordinator {
        final CompletableFuture<Long> askedAt = new CompletableFuture<>();

        @Override
        public CompletionStage<Proof> ask() {
            askedAt.complete(System.nanoTime());
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Proof> raiseAbove(long token) {
            throw new AssertionError();
        }
    }

    private static HeldLock hold(String owner, Coordinator coordinator, Duration left) {
        Proof proof = new Proof(System.nanoTime(), true, 1, left.toNanos(), 1);
        Lease lease =
                new Lease("lock", "resource", "id", owner, 0, 1, new Deadline(proof.sentAt(), proof.timeLeftNanos()));
        return new HeldLock(owner, lease, coordinator, true, proof);
    }

    @Test
    void aShortHoldIsAskedForInTimeWhereALongOneWaits() throws Exception {
        held.put(hold("long", new Silent(), Duration.ofMinutes(1)));
        Silent coordinator = new Silent();
        HeldLock brief = hold("brief", coordinator, Duration.ofMillis(600));
        held.put(brief);

        long askedAt = coordinator.askedAt.get(20, TimeUnit.SECONDS);

        assertThat(askedAt - brief.proof().sentAt())
                .as("nanoseconds from the proof to the next question")
                .isLessThan(brief.proof().timeLeftNanos());
    }

    @Test
    void whatTheAgentHasForgottenIsForgottenHereToo() {
        HeldLock hold = hold("owner", new Silent(), Duration.ofMinutes(1));
        held.put(hold);
        assertThat(held.of("owner")).isSameAs(hold);

        hold.lease().forget();

        await(() -> held.of("owner") == null);
    }

    @Test
    void whatIsReleasedIsForgotten() {
        HeldLock hold = hold("owner", new Silent(), Duration.ofMinutes(1));
        held.put(hold);

        hold.lease().release();

        await(() -> held.of("owner") == null);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("nanoseconds late").isNegative();
            Thread.onSpinWait();
        }
    }
}
