/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tasks inherit, kept beside the executors. */
class InheritanceTest {
    private final Object pool = new Object();
    private final Object other = new Object();
    private int counted;

    @BeforeEach
    void count() {
        counted = LeaseContext.active();
        assertThat(Inheritance.size()).isZero();
    }

    @AfterEach
    void nothingIsCounted() {
        assertThat(Inheritance.size()).isZero();
        assertThat(LeaseContext.active()).isEqualTo(counted);
    }

    @Test
    void whatWasHandedIsTakenOnce() {
        Object task = new Object();
        Lease[] leases = {lease()};

        assertThat(Inheritance.hand(task, pool, leases)).isNotNull();

        assertThat(LeaseContext.idle()).as("it matters as long as it waits").isFalse();
        assertThat(Inheritance.take(new Object(), pool)).as("another task").isNull();
        assertThat(Inheritance.take(task, other)).as("in another pool").isNull();
        assertThat(Inheritance.take(task, pool)).isSameAs(leases);
        assertThat(Inheritance.take(task, pool)).as("again").isNull();
    }

    @Test
    void nothingIsNotedForNoLeasesUnlessTheTaskWaitsAlready() {
        Object task = new Object();
        Lease[] leases = {lease()};
        assertThat(Inheritance.hand(task, pool, new Lease[0])).isNull();
        Inheritance.hand(new Object(), other, new Lease[0]);
        assertThat(Inheritance.size()).isZero();

        Inheritance.hand(task, pool, new Lease[0]);
        Inheritance.hand(task, pool, leases);
        Inheritance.hand(task, pool, new Lease[0]);
        Inheritance.hand(task, other, new Lease[0]);

        assertThat(Inheritance.take(task, pool)).isSameAs(leases);
        assertThat(Inheritance.take(task, pool)).isEmpty();
        assertThat(Inheritance.take(task, pool)).isNull();
    }

    @Test
    void anObjectThatIsSubmittedOftenHandsItsLeasesInTheirOrder() {
        Object task = new Object();
        Lease[][] leases = {{lease()}, {lease()}, {lease()}};
        Inheritance.hand(task, pool, leases[0]);
        Object second = Inheritance.hand(task, pool, leases[1]);
        Inheritance.hand(task, pool, leases[2]);

        Inheritance.drop(second);
        Inheritance.drop(second);
        Inheritance.dropNewest(task, other);
        assertThat(Inheritance.look(task, pool)).isSameAs(leases[0]);
        assertThat(Inheritance.take(task, pool)).isSameAs(leases[0]);
        Inheritance.dropNewest(task, pool);
        assertThat(Inheritance.take(task, pool)).isNull();
    }

    @Test
    void whatWasTakenOutOfAQueueUnseenIsPassedOver() {
        Object task = new Object();
        List<Object> queue = new ArrayList<>();
        Lease[][] leases = {{lease()}, {lease()}, {lease()}, {lease()}};
        for (int i = 0; i < 2; i++) {
            queue.add(task);
            Inheritance.settle(Inheritance.hand(task, pool, leases[i]));
        }
        queue.clear();
        for (int i = 2; i < 4; i++) {
            queue.add(task);
            Inheritance.settle(Inheritance.hand(task, pool, leases[i]));
        }

        queue.remove(task);
        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases[2]);
        queue.remove(task);
        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases[3]);
        Inheritance.hand(task, pool, new Lease[0]);
        assertThat(Inheritance.take(task, pool, queue, false)).isEmpty();
        assertThat(Inheritance.take(task, pool)).isSameAs(leases[0]);
        assertThat(Inheritance.take(task, pool)).isSameAs(leases[1]);
    }

    @Test
    void aQueueThatFailsIsTakenInOrder() {
        Object task = new Object();
        Lease[] leases = {lease()};
        Inheritance.settle(Inheritance.hand(task, pool, leases));
        List<Object> queue = new ArrayList<>() {
            @Override
            public int size() {
                throw new IllegalStateException("closed");
            }
        };

        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases);
    }

    @Test
    void whatWasQueuedBeforeTheFirstThatIsNotedInheritsNothing() {
        Object task = new Object();
        List<Object> queue = new ArrayList<>(List.of(task, task));
        Lease[] leases = {lease()};
        Inheritance.hand(task, pool, leases);

        queue.remove(task);
        assertThat(Inheritance.take(task, pool, queue, false)).isNull();
        assertThat(Inheritance.take(new Object(), pool, queue, false)).isNull();
        queue.remove(task);
        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases);
    }

    @Test
    void aThreadThatWasMadeForATaskTakesTheOneThatIsNotQueued() {
        Object task = new Object();
        List<Object> queue = new ArrayList<>(List.of(task, task));
        Lease[] stale = {lease()};
        Lease[] leases = {lease()};
        Inheritance.hand(task, pool, leases);
        assertThat(Inheritance.take(task, pool, queue, true))
                .as("two were queued before")
                .isSameAs(leases);

        queue.clear();
        Inheritance.hand(task, pool, stale);
        Inheritance.hand(task, pool, leases);
        assertThat(Inheritance.take(task, pool, queue, true)).isSameAs(leases);
        assertThat(Inheritance.take(task, pool)).isSameAs(stale);
    }

    @Test
    void aQueueThatCannotBeLookedAtIsTakenInOrder() {
        Object task = new Object();
        Lease[][] leases = {{lease()}, {lease()}};
        List<Object> queue = new ArrayList<>() {
            private static final long serialVersionUID = 1;

            @Override
            public java.util.Iterator<Object> iterator() {
                throw new UnsupportedOperationException();
            }
        };
        Inheritance.hand(task, pool, leases[0]);
        Inheritance.hand(task, pool, leases[1]);

        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases[0]);
        assertThat(Inheritance.take(task, pool, queue, false)).isSameAs(leases[1]);
    }

    @Test
    void oneObjectManyTimesIsTakenInLittleTime() {
        Object task = new Object();
        Lease[] leases = {lease()};
        int times = 200_000;
        var queue = new java.util.concurrent.LinkedBlockingQueue<Object>();
        for (int i = 0; i < times; i++) {
            queue.add(task);
            Inheritance.settle(Inheritance.hand(task, pool, leases));
        }
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            queue.remove();
            assertThat(Inheritance.take(task, pool, queue, false) == leases).isTrue();
        }
        // Linear each time it would take minutes.
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
    }

    @Test
    void aTaskThatNobodyHoldsIsForgottenWithItsLeases() throws Exception {
        WeakReference<Lease> gone = handAndForget();

        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (gone.get() != null || LeaseContext.active() != counted) {
            assertThat(System.nanoTime()).as("still there").isLessThan(deadline);
            System.gc();
            LeaseContext.forgetEnded();
            Thread.sleep(1);
        }
    }

    private WeakReference<Lease> handAndForget() {
        Lease lease = lease();
        Inheritance.hand(new Object(), pool, new Lease[] {lease});
        assertThat(Inheritance.size()).isEqualTo(1);
        return new WeakReference<>(lease);
    }

    @Test
    void leasesOfTheProcessAreNotHandedOn() {
        Lease own = lease();
        Lease ofProcess = new Lease("p", "p", "0", "p", 0, 1, new Deadline(System.nanoTime(), Long.MAX_VALUE)) {
            @Override
            public boolean ofProcess() {
                return true;
            }
        };

        Lease[] alone = {own};
        assertThat(Inheritance.handedOn(alone)).isSameAs(alone);
        assertThat(Inheritance.handedOn(new Lease[] {ofProcess, own})).containsExactly(own);
        assertThat(Inheritance.handedOn(new Lease[] {ofProcess})).isEmpty();
        assertThat(Inheritance.handedOn(new Lease[0])).isEmpty();
    }

    @Test
    void manyThreadsHandAndTakeAtOnce() throws Exception {
        int threads = 4;
        var executor = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        AtomicInteger wrong = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            all.add(executor.submit(() -> {
                start.await();
                Lease[][] leases = {{lease()}, {lease()}};
                List<Object> tasks = new ArrayList<>();
                for (int round = 0; round < 50; round++) {
                    for (int i = 0; i < 200; i++) {
                        Object task = new Object();
                        tasks.add(task);
                        Inheritance.hand(task, pool, leases[i % 2]);
                    }
                    for (int i = 0; i < 200; i++) {
                        if (Inheritance.take(tasks.get(i), pool) != leases[i % 2]) {
                            wrong.incrementAndGet();
                        }
                    }
                    tasks.clear();
                }
                return null;
            }));
        }
        start.countDown();
        for (Future<?> one : all) {
            one.get();
        }
        executor.shutdown();
        assertThat(wrong).hasValue(0);
    }

    private static Lease lease() {
        return Leases.living("l");
    }
}
