/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** As a service uses it: no agent is here, and the test puts leases on its thread as one would. */
class LockfenceTest {
    private final Lease own = lease("own", Duration.ofMinutes(1));
    private final Lease other = lease("other", Duration.ofMinutes(1));

    private static Lease lease(String lock, Duration time) {
        return new Lease(
                lock,
                "resource of " + lock,
                "0f".repeat(16),
                lock,
                0,
                7,
                new Deadline(System.nanoTime(), time.toNanos()));
    }

    @BeforeEach
    void somebodyHoldsALease() {
        LeaseContext.activate();
    }

    @AfterEach
    void nothingIsLeft() {
        LeaseContext.ofCurrentThread().detach(own);
        LeaseContext.deactivate();
        assertThat(LeaseContext.active()).isZero();
        assertThat(LeaseContext.threads()).isZero();
    }

    private static List<String> locks() {
        return Lockfence.leases().stream().map(HeldLease::lock).toList();
    }

    private HeldLease held(Lease lease) {
        LeaseContext.ofCurrentThread().attach(lease);
        HeldLease held = Lockfence.leases().get(Lockfence.leases().size() - 1);
        LeaseContext.ofCurrentThread().detach(lease);
        return held;
    }

    @Test
    void aThreadWithoutLeasesHasNone() throws Exception {
        assertThat(Lockfence.leases()).isEmpty();
        assertThat(Lockfence.carrying((Callable<Integer>) () -> 5).call()).isEqualTo(5);
    }

    @Test
    void aLeaseTellsWhatHasBecomeOfIt() {
        HeldLease held = held(own);
        assertThat(held.lock()).isEqualTo("own");
        assertThat(held.resource()).isEqualTo("resource of own");
        assertThat(held.token()).isEqualTo(7);
        assertThat(held.id()).isEqualTo("0f".repeat(16));
        assertThat(held.isAlive()).isTrue();
        assertThat(held.timeLeft()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        assertThat(held).isEqualTo(held(own)).isNotEqualTo(held(other));

        own.die(Lease.Death.LOST, "the test says so");

        assertThat(held.isAlive()).isFalse();
        assertThat(held.timeLeft()).isZero();
        assertThat(held(lease("callers", Duration.ofDays(30_000))).timeLeft()).isEqualTo(Duration.ofDays(365));
    }

    @Test
    void workRunsUnderALeaseAndThoseOfItsThread() throws Exception {
        LeaseContext.ofCurrentThread().attach(own);
        HeldLease held = held(other);

        assertThat(Lockfence.under(held, LockfenceTest::locks)).containsExactly("own", "other");
        Lockfence.run(held, () -> assertThat(locks()).containsExactly("own", "other"));
        assertThatThrownBy(() -> Lockfence.under(held, () -> {
                    throw new IOException("on purpose");
                }))
                .hasMessage("on purpose");

        assertThat(locks()).containsExactly("own");
    }

    @Test
    void workCarriesTheLeasesOfWhoeverGaveIt() {
        LeaseContext.ofCurrentThread().attach(own);
        Callable<List<String>> work = Lockfence.carrying((Callable<List<String>>) LockfenceTest::locks);
        Runnable task = Lockfence.carrying((Runnable) () -> assertThat(locks()).containsExactly("own"));
        LeaseContext.ofCurrentThread().detach(own);
        own.release();

        assertThat(CompletableFuture.supplyAsync(() -> {
                            try {
                                task.run();
                                return work.call();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .join())
                .as("released meanwhile, and carried all the same")
                .containsExactly("own");
        assertThat(locks()).isEmpty();
    }

    @Test
    void aRefusalIsFoundWhereverItIs() {
        FencedException refusal = new FencedException(Refusal.STALE, "orders/42", "refused", null);
        Exception suppressing = new Exception("close failed");
        suppressing.addSuppressed(new SQLException("refused", "LF001", refusal));

        assertThat(Lockfence.refusal(new IOException(new IOException(refusal)))).containsSame(refusal);
        assertThat(Lockfence.refusal(suppressing)).containsSame(refusal);
        assertThat(Lockfence.refusal(refusal)).containsSame(refusal);
        assertThat(Lockfence.refusal(new IOException("no route"))).isEmpty();
        assertThat(Lockfence.refusal(null)).isEmpty();
    }
}
