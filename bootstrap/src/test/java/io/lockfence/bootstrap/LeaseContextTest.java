/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaseContextTest {
    private final Recorder recorder = Recorder.connect();
    private final Lease a = Leases.living("a");
    private final Lease b = Leases.living("b");

    @BeforeEach
    void somebodyHoldsALease() {
        LeaseContext.activate();
    }

    @AfterEach
    void nothingIsLeft() {
        LeaseContext.endUnit(null);
        LeaseContext.deactivate();
        assertThat(LeaseContext.active()).as("counts are balanced").isZero();
        assertThat(recorder.faults).isEmpty();
    }

    @Test
    void holdsLeasesInTheOrderOfTheirArrival() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(a);
        context.attach(b);
        context.attach(a);
        assertThat(LeaseContext.current()).containsExactly(a, b);

        assertThat(context.detach(a)).isTrue();
        assertThat(context.detach(a)).isFalse();

        assertThat(LeaseContext.current()).containsExactly(b);
    }

    /** A lease that covers the process. */
    private static Lease leadership() {
        return new Lease("leader", "leader", "0", "o", 0, 1, new Deadline(System.nanoTime(), Long.MAX_VALUE)) {
            @Override
            public boolean ofProcess() {
                return true;
            }
        };
    }

    private static List<Lease> onAnotherThread() throws InterruptedException {
        List<Lease> seen = new ArrayList<>();
        Thread other = new Thread(() -> seen.addAll(List.of(LeaseContext.current())));
        other.start();
        other.join();
        return seen;
    }

    @Test
    void aLeaseOfTheProcessIsOnEveryThread() throws Exception {
        LeaseContext.ofCurrentThread().attach(a);
        Lease leader = leadership();

        LeaseContext.attachEverywhere(leader);
        LeaseContext.attachEverywhere(leader);
        assertThat(LeaseContext.current()).containsExactly(a, leader);
        assertThat(onAnotherThread()).as("a thread without a context").containsExactly(leader);
        LeaseContext.detachEverywhere(leader);

        assertThat(LeaseContext.current()).containsExactly(a);
        assertThat(onAnotherThread()).isEmpty();
    }

    @Test
    void unitsOfWorkHaveTheProcesssLeasesAndLeaveNone() {
        Lease first = leadership();
        Lease second = leadership();
        LeaseContext.ofCurrentThread().attach(a);
        LeaseContext.attachEverywhere(first);

        LeaseContext before = LeaseContext.beginUnit();
        assertThat(LeaseContext.current()).containsExactly(first);
        LeaseContext.ofCurrentThread().attach(b);
        assertThat(LeaseContext.current()).containsExactlyInAnyOrder(first, b);
        // The next term, while the outer unit is set aside.
        LeaseContext.attachEverywhere(second);
        LeaseContext.detachEverywhere(first);
        assertThat(LeaseContext.endUnit(before)).containsExactly(b);

        assertThat(LeaseContext.current()).containsExactly(a, second);
        LeaseContext.detachEverywhere(second);
    }

    @Test
    void aContextWithNothingButTheProcesssLeasesIsForgotten() {
        Lease leader = leadership();
        LeaseContext.attachEverywhere(leader);
        int threads = LeaseContext.threads();
        LeaseContext context = LeaseContext.ofCurrentThread();

        assertThat(LeaseContext.threads()).isEqualTo(threads);
        LeaseContext.trim();

        assertThat(LeaseContext.of(Thread.currentThread())).isNull();
        assertThat(context.leases()).containsExactly(leader);
        assertThat(LeaseContext.current()).containsExactly(leader);
        LeaseContext.detachEverywhere(leader);
    }

    @Test
    void neverChangesAnArrayThatItGaveOut() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(a);
        Lease[] before = LeaseContext.current();

        context.attach(b);
        context.detach(a);

        assertThat(before).containsExactly(a);
    }

    @Test
    void aUnitStartsWithoutTheLeasesOfItsThreadAndGivesThemBack() {
        LeaseContext.ofCurrentThread().attach(a);

        LeaseContext before = LeaseContext.beginUnit();
        Lease[] during = LeaseContext.current();
        LeaseContext.ofCurrentThread().attach(b);
        Lease[] left = LeaseContext.endUnit(before);

        assertThat(during).isEmpty();
        assertThat(left).containsExactly(b);
        assertThat(LeaseContext.current()).containsExactly(a);
    }

    @Test
    void unitsNest() {
        LeaseContext.ofCurrentThread().attach(a);

        LeaseContext outer = LeaseContext.beginUnit();
        LeaseContext.ofCurrentThread().attach(b);
        LeaseContext inner = LeaseContext.beginUnit();
        Lease[] innerLeft = LeaseContext.endUnit(inner);
        Lease[] resumed = LeaseContext.current();
        Lease[] outerLeft = LeaseContext.endUnit(outer);

        assertThat(innerLeft).isNull();
        assertThat(resumed).containsExactly(b);
        assertThat(outerLeft).containsExactly(b);
        assertThat(LeaseContext.current()).containsExactly(a);
    }

    @Test
    void givesALeaseBackAlsoWhenTheCountFellToZeroMeanwhile() {
        LeaseContext.ofCurrentThread().attach(a);
        LeaseContext before = LeaseContext.beginUnit();
        LeaseContext.deactivate();

        LeaseContext.endUnit(before);

        LeaseContext.activate();
        assertThat(LeaseContext.current()).containsExactly(a);
    }

    @Test
    void anAcquisitionThatCompletesAfterItsUnitEndedDoesNotReachTheNextUnit() throws Exception {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.expecting();
        assertThat(LeaseContext.endUnit(null)).isNull();
        AtomicReference<Boolean> attached = new AtomicReference<>();

        Thread completing = new Thread(() -> {
            attached.set(context.attach(a));
            context.settled();
        });
        completing.start();
        completing.join();

        assertThat(attached.get()).as("the unit is over").isFalse();
        assertThat(LeaseContext.current()).isEmpty();
    }

    @Test
    void anAcquisitionThatIsUnderWayKeepsItsContextOnTheThread() throws Exception {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.expecting();
        LeaseContext.trim();

        Thread completing = new Thread(() -> {
            context.attach(a);
            context.settled();
        });
        completing.start();
        completing.join();

        assertThat(LeaseContext.current()).containsExactly(a);
    }

    @Test
    void aJvmInWhichAnAcquisitionIsUnderWayIsNotIdle() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        LeaseContext.deactivate();

        context.expecting();
        boolean during = LeaseContext.idle();
        context.settled();
        boolean after = LeaseContext.idle();
        context.settled();
        boolean settledTwice = LeaseContext.idle() && LeaseContext.active() == 0;

        LeaseContext.activate();
        assertThat(during).isFalse();
        assertThat(after).isTrue();
        assertThat(settledTwice).as("a second settled() changes nothing").isTrue();
    }

    @Test
    void attachingFromAnotherThreadWhileTheUnitEndsNeitherLosesNorKeepsALease() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            CyclicBarrier start = new CyclicBarrier(2);
            AtomicReference<LeaseContext> shared = new AtomicReference<>();
            for (int round = 0; round < 5_000; round++) {
                Lease lease = round % 2 == 0 ? a : b;
                CountDownLatch announced = new CountDownLatch(1);
                Future<Lease[]> unit = pool.submit(() -> {
                    LeaseContext context = LeaseContext.ofCurrentThread();
                    context.expecting();
                    shared.set(context);
                    announced.countDown();
                    start.await();
                    Lease[] left = LeaseContext.endUnit(null);
                    assertThat(LeaseContext.current()).isEmpty();
                    return left;
                });
                Future<Boolean> completion = pool.submit(() -> {
                    announced.await();
                    start.await();
                    boolean attached = shared.get().attach(lease);
                    shared.get().settled();
                    return attached;
                });
                Lease[] left = unit.get();
                assertThat(left != null).as("left over if and only if attached").isEqualTo(completion.get());
                assertThat(shared.get().leases()).isEmpty();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void threadsOfOneSlotDoNotDisturbOneAnother() throws Exception {
        // 64 threads whose ids fall together eight by eight at most: each looks only for its own, while its neighbours
        // come and go.
        int threads = 64;
        List<Thread> running = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Lease mine = Leases.living("lease-" + i);
            Random random = new Random(i);
            Thread thread =
                    new Thread(() -> {
                        for (int round = 0; round < 1_000; round++) {
                            LeaseContext.ofCurrentThread().attach(mine);
                            for (int look = random.nextInt(4); look >= 0; look--) {
                                assertThat(LeaseContext.current()).containsExactly(mine);
                            }
                            assertThat(LeaseContext.endUnit(null)).containsExactly(mine);
                            assertThat(LeaseContext.current()).isEmpty();
                        }
                    }) {
                        // The id of a thread may be overridden until JDK 19; it only spreads threads over slots.
                        @Override
                        public long getId() {
                            return super.getId() % 8;
                        }
                    };
            thread.setUncaughtExceptionHandler((t, e) -> {
                synchronized (failures) {
                    failures.add(e);
                }
            });
            running.add(thread);
            thread.start();
        }
        for (Thread thread : running) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void keepsNothingForThreadsThatEnded() throws Exception {
        List<WeakReference<LeaseContext>> kept = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            Thread thread =
                    new Thread(() -> kept.add(new WeakReference<>(LeaseContext.ofCurrentThread())), "short-lived");
            thread.start();
            thread.join();
        }
        System.gc();

        assertThat(kept.stream().filter(context -> context.get() != null).count())
                .as("at most one ended thread for each of 1,024 slots")
                .isLessThanOrEqualTo(1_024);
        assertThat(LeaseContext.threads()).as("living threads with a context").isZero();
    }

    @Test
    void tellsThatItsThreadEnded() throws Exception {
        AtomicReference<LeaseContext> context = new AtomicReference<>();
        Thread thread = new Thread(() -> context.set(LeaseContext.ofCurrentThread()));
        thread.start();
        thread.join();

        assertThat(context.get().abandoned()).isTrue();
        assertThat(LeaseContext.ofCurrentThread().abandoned()).isFalse();
    }

    @Test
    void trimmingForgetsAnEmptyContextAndKeepsALease() {
        LeaseContext.ofCurrentThread();
        LeaseContext.trim();
        LeaseContext trimmed = LeaseContext.of(Thread.currentThread());

        LeaseContext.ofCurrentThread().attach(a);
        LeaseContext.trim();

        assertThat(trimmed).isNull();
        assertThat(LeaseContext.current()).containsExactly(a);
        assertThat(LeaseContext.threads()).isEqualTo(1);
    }

    @Test
    void aLeaseThatTakesThePlaceOfAnotherIsOnItsThread() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(a);

        context.detach(a);
        context.attach(b);

        assertThat(LeaseContext.current()).containsExactly(b);
    }

    @Test
    void anIdleJvmLooksNowhere() {
        LeaseContext.ofCurrentThread().attach(a);
        LeaseContext.deactivate();

        Lease[] current = LeaseContext.current();
        LeaseContext begun = LeaseContext.beginUnit();

        LeaseContext.activate();
        assertThat(current).isEmpty();
        assertThat(begun).isNull();
    }
}
