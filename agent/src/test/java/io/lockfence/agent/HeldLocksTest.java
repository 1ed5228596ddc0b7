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
        return new HeldLock(owner, coordinator, true, new Proof(System.nanoTime(), true, 1, left.toNanos(), 1));
    }

    private static Lease lease(HeldLock hold) {
        Proof proof = hold.proof();
        return new Lease(
                "lock",
                "resource",
                "id",
                hold.owner(),
                0,
                proof.token(),
                new Deadline(proof.sentAt(), proof.timeLeftNanos()));
    }

    private void begin(HeldLock hold) {
        assertThat(held.begin(hold, () -> lease(hold))).isSameAs(hold.lease()).isNotNull();
    }

    @Test
    void aShortHoldIsAskedForInTimeWhereALongOneWaits() throws Exception {
        begin(hold("long", new Silent(), Duration.ofMinutes(1)));
        Silent coordinator = new Silent();
        HeldLock brief = hold("brief", coordinator, Duration.ofMillis(600));
        begin(brief);

        long askedAt = coordinator.askedAt.get(20, TimeUnit.SECONDS);

        assertThat(askedAt - brief.proof().sentAt())
                .as("nanoseconds from the proof to the next question")
                .isLessThan(brief.proof().timeLeftNanos());
    }

    /** A claim may take longer than the hold lasts. */
    @Test
    void aHoldIsAskedForWhileItsLeaseIsBeginning() {
        Silent coordinator = new Silent();
        HeldLock hold = hold("owner", coordinator, Duration.ofMillis(600));

        held.begin(hold, () -> {
            coordinator.askedAt.orTimeout(20, TimeUnit.SECONDS).join();
            return lease(hold);
        });

        assertThat(hold.lease()).isNotNull();
    }

    @Test
    void whatNoRuleNamesIsNotAskedFor() {
        HeldLock hold = hold("owner", new Silent(), Duration.ofMinutes(1));

        assertThat(held.begin(hold, () -> null)).isNull();

        assertThat(held.of("owner")).isNull();
    }

    @Test
    void whatTheAgentHasForgottenIsForgottenHereToo() {
        HeldLock hold = hold("owner", new Silent(), Duration.ofMinutes(1));
        begin(hold);
        assertThat(held.of("owner")).isSameAs(hold);

        hold.lease().forget();

        await(() -> held.of("owner") == null);
    }

    @Test
    void whatIsReleasedIsForgotten() {
        HeldLock hold = hold("owner", new Silent(), Duration.ofMinutes(1));
        begin(hold);

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
