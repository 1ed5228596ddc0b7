/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every integration of a lock library must do, played on the real library and a real coordinator. What a library does otherwise than others it says in
 * the methods of {@link Kind}, and nowhere else.
 */
@Timeout(120)
public abstract class LockContract {
    /** One lock of the library, as one client of the service uses it. */
    public interface ServiceLock {
        /** Waits as long as it takes. */
        void acquire() throws Exception;

        /** Waits for a moment. */
        boolean acquire(Duration atMost) throws Exception;

        void release() throws Exception;
    }

    /** How the library is. */
    public interface Kind {
        /** As rules name it. */
        String library();

        /** The lock's name, as it comes from the service, as the rules know it. */
        String lock(String name);

        /** A lock of the first client, or of another one; each call makes an object of its own. */
        ServiceLock lock(int client, String name);

        /** Whether the thread that holds it may acquire it once more. */
        boolean reenters();

        /** Whether only the thread that acquired it can release it. */
        boolean ownsThread();

        /** Whether a lease begins on a thread of the library's; it is on the caller's thread all the same when the caller is told. */
        default boolean beginsElsewhere() {
            return false;
        }

        /** The longest time that a hold is granted for without a renewal. */
        Duration granted();

        /**
         * Whether a hold ends when its time is over. If not, it lasts as long as the connection that it was taken on, which is not renewed, and that it has ended is
         * seen when that is used next.
         */
        default boolean endsByTime() {
            return true;
        }

        /** Whether it is told how often its owner has acquired. If not, the coordinator keeps that to itself, and says only that the last one was released. */
        default boolean countsHolds() {
            return true;
        }

        /** The coordinator forgets the hold of this lock, as an administrator would make it. */
        void destroy(String name) throws Exception;

        /** The coordinator stops to answer; whoever asks it waits. */
        void cutOff() throws Exception;

        /** It answers again. */
        void heal() throws Exception;

        /**
         * The coordinator is stopped and started.
         *
         * @param keepData whether it remembers what it knew
         */
        void restart(boolean keepData) throws Exception;

        /** After each test. */
        void close() throws Exception;
    }

    protected Recorder recorder;
    protected Kind kind;
    private final ExecutorService others = Executors.newCachedThreadPool();

    /** A coordinator and its clients, which only this test uses. */
    protected abstract Kind kind() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        recorder = new Recorder();
        Seams.connect(recorder, null, recorder.faults::add);
        kind = kind();
    }

    @AfterEach
    void end() throws Exception {
        others.shutdownNow();
        kind.close();
        recorder.close();
        assertThat(recorder.faults).as("faults of our own").isEmpty();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(LeaseContext.active())
                        .as("what is left active")
                        .isZero());
    }

    @Test
    void acquiringBeginsOneLeaseOnTheCallersThreadAndReleasingEndsIt() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);

        lock.acquire();

        assertThat(here()).hasSize(1);
        Lease lease = here().get(0);
        Acquisition told = recorder.last().acquisition();
        if (!kind.beginsElsewhere()) {
            assertThat(recorder.last().thread()).isSameAs(Thread.currentThread());
        }
        assertThat(told.library()).isEqualTo(kind.library());
        assertThat(told.lock()).isEqualTo(kind.lock(name));
        assertThat(told.ownsThread()).isEqualTo(kind.ownsThread());
        assertThat(told.failure()).isNull();
        assertThat(told.proof().held()).isTrue();
        assertThat(told.proof().holdCount()).isEqualTo(1);
        assertThat(lease.token()).isPositive();
        assertThat(told.proof().timeLeftNanos()).isBetween(1L, kind.granted().toNanos());
        assertThat(lease.deadline().at())
                .isGreaterThanOrEqualTo(
                        Deadline.end(told.proof().sentAt(), told.proof().timeLeftNanos()));

        lock.release();

        assertThat(here()).isEmpty();
        assertThat(lease.released()).isTrue();
        assertThat(lease.death()).isNull();
        assertThat(recorder.begun).hasSize(1);
    }

    @Test
    void anAttemptThatTimesOutBeginsNoLease() throws Exception {
        String name = fresh();
        ServiceLock held = kind.lock(0, name);
        held.acquire();

        boolean acquired = elsewhere(() -> kind.lock(1, name).acquire(Duration.ofMillis(300)));

        assertThat(acquired).isFalse();
        assertThat(recorder.begun).hasSize(1);
        held.release();
        ServiceLock next = kind.lock(1, name);
        assertThat(next.acquire(Duration.ofSeconds(20))).isTrue();
        assertThat(recorder.begun).hasSize(2);
        next.release();
    }

    @Test
    void enteringOnceMoreKeepsTheLeaseUntilTheLastRelease() throws Exception {
        ServiceLock lock = kind.lock(0, fresh());
        if (!kind.reenters()) {
            lock.acquire();
            assertThat(elsewhere(() -> lock.acquire(Duration.ofMillis(300)))).isFalse();
            assertThat(recorder.begun).hasSize(1);
            lock.release();
            return;
        }
        lock.acquire();
        Lease lease = here().get(0);
        long token = lease.token();

        assertThat(lock.acquire(Duration.ofSeconds(1))).isTrue();

        assertThat(here()).containsExactly(lease);
        assertThat(recorder.last().lease()).isSameAs(lease);
        if (kind.countsHolds()) {
            assertThat(recorder.last().acquisition().proof().holdCount()).isEqualTo(2);
        }
        lock.release();
        assertThat(lease.released()).isFalse();
        assertThat(here()).containsExactly(lease);
        assertThat(lease.token()).isEqualTo(token);
        lock.release();
        assertThat(lease.released()).isTrue();
        assertThat(here()).isEmpty();
    }

    @Test
    void aHoldThatOutlastsItsTimeIsRenewed() throws Exception {
        ServiceLock lock = kind.lock(0, fresh());
        lock.acquire();
        Lease lease = here().get(0);
        if (!kind.endsByTime()) {
            assertThat(lease.deadline().left()).isGreaterThan(TimeUnit.DAYS.toNanos(365));
            lock.release();
            return;
        }
        long first = lease.deadline().at();

        await().atMost(kind.granted().multipliedBy(3))
                .until(() -> System.nanoTime() - first > kind.granted().toNanos() / 4);

        assertThat(lease.death()).isNull();
        assertThat(recorder.count("renewed")).isPositive();
        for (Recorder.Event renewed : recorder.of("renewed")) {
            assertThat(renewed.nanos()).isLessThanOrEqualTo(kind.granted().toNanos());
            assertThat(renewed.sentAt()).isLessThanOrEqualTo(System.nanoTime());
        }
        lock.release();
        assertThat(lease.death()).isNull();
    }

    @Test
    void aHoldThatTheCoordinatorForgotIsLost() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);
        lock.acquire();
        Lease lease = here().get(0);

        kind.destroy(name);

        usedNext(lock);
        await().atMost(kind.granted()).until(() -> lease.death() == Lease.Death.LOST);
        ServiceLock next = kind.lock(1, name);
        assertThat(elsewhere(() -> {
                    boolean acquired = next.acquire(Duration.ofSeconds(20));
                    assertThat(here().get(0).token()).isGreaterThan(lease.token());
                    next.release();
                    return acquired;
                }))
                .isTrue();
        try {
            lock.release();
        } catch (Exception e) {
            // Some libraries say that it was not held.
        }
        assertThat(here()).isEmpty();
        assertThat(lease.released()).isTrue();
    }

    /** Where nothing but the service's own next use of the lock tells that it is gone. */
    private void usedNext(ServiceLock lock) {
        if (!kind.endsByTime()) {
            try {
                lock.release();
            } catch (Exception e) {
                // So it is told.
            }
        }
    }

    @Test
    void aReleaseByAnotherThreadIsWhatTheLibraryMakesOfIt() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);
        lock.acquire();
        Lease lease = here().get(0);

        Exception refused = elsewhere(() -> {
            try {
                lock.release();
                return null;
            } catch (Exception e) {
                return e;
            }
        });

        if (kind.ownsThread()) {
            assertThat(refused).isNotNull();
            assertThat(lease.released()).isFalse();
            lock.release();
        } else {
            assertThat(refused).isNull();
        }
        assertThat(lease.released()).isTrue();
        assertThat(here()).isEmpty();
    }

    @Test
    void anInterruptedWaitBeginsNoLease() throws Exception {
        String name = fresh();
        ServiceLock held = kind.lock(0, name);
        held.acquire();
        CountDownLatch waiting = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        Thread waiter = new Thread(() -> {
            waiting.countDown();
            try {
                kind.lock(1, name).acquire();
            } catch (Throwable t) {
                thrown.add(t);
            }
        });
        waiter.start();
        waiting.await();
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            waiter.interrupt();
            waiter.join(200);
            return !waiter.isAlive();
        });

        assertThat(thrown).hasSize(1);
        assertThat(recorder.begun).hasSize(1);
        held.release();
    }

    @Test
    void whenTheCoordinatorIsCutOffTheDeadlineStaysAndPasses() throws Exception {
        ServiceLock lock = kind.lock(0, fresh());
        lock.acquire();
        Lease lease = here().get(0);

        if (!kind.endsByTime()) {
            kind.cutOff();
            kind.heal();
            assertThat(lease.death()).isNull();
            lock.release();
            assertThat(here()).isEmpty();
            return;
        }
        kind.cutOff();
        long cutAt = System.nanoTime();
        try {
            await().atMost(kind.granted().plusSeconds(5)).until(() -> lease.death() != null);

            // Whatever was sent before the cut may have been answered.
            assertThat(System.nanoTime() - cutAt)
                    .isLessThanOrEqualTo(kind.granted().plusMillis(500).toNanos());
        } finally {
            kind.heal();
        }
        try {
            lock.release();
        } catch (Exception e) {
            // Its session may be over.
        }
        assertThat(here()).isEmpty();
    }

    /** No thread of the library's, and none of ours, has run meanwhile. */
    @Test
    void aPauseBeyondTheLeaseEndsItForGood() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);
        lock.acquire();
        Lease lease = here().get(0);

        if (!kind.endsByTime()) {
            stopThisJvm(Duration.ofSeconds(1));
            assertThat(lease.death()).isNull();
            lock.release();
            return;
        }
        stopThisJvm(kind.granted().plusSeconds(1));

        assertThat(lease.death()).as("death, at the first look after the pause").isNotNull();
        try {
            lock.release();
        } catch (Exception e) {
            // It may be held no more.
        }
        assertThat(here()).isEmpty();
        long token = acquiredAndReleased(kind.lock(1, name));
        assertThat(token).isGreaterThan(lease.token());
        assertThat(lease.death()).isNotNull();
    }

    /** Stopped by its operating system, as its own child processes are not. */
    private static void stopThisJvm(Duration time) throws Exception {
        long before = System.nanoTime();
        Process waker = new ProcessBuilder(
                        "sh",
                        "-c",
                        "kill -STOP $0; sleep $1; kill -CONT $0",
                        Long.toString(ProcessHandle.current().pid()),
                        Long.toString(time.toSeconds()))
                .start();
        assertThat(waker.waitFor()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as("the pause")
                .isGreaterThanOrEqualTo(time.truncatedTo(ChronoUnit.SECONDS));
    }

    @Test
    void aCoordinatorThatIsRestartedWithItsDataLeavesTheHold() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);
        lock.acquire();
        Lease lease = here().get(0);

        kind.restart(true);

        if (!kind.endsByTime()) {
            // With the connection, the hold has gone.
            usedNext(lock);
            assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
            assertThat(acquiredAndReleased(kind.lock(1, name))).isGreaterThan(lease.token());
            return;
        }
        long restarted = System.nanoTime();
        await().atMost(kind.granted().multipliedBy(2))
                .until(() -> recorder.of("renewed").stream().anyMatch(event -> event.sentAt() - restarted > 0));
        assertThat(lease.death()).isNull();
        assertThat(elsewhere(() -> kind.lock(1, name).acquire(Duration.ofMillis(300)))).isFalse();
        lock.release();
    }

    @Test
    void aCoordinatorThatHasForgottenEverythingEndsTheLease() throws Exception {
        String name = fresh();
        ServiceLock lock = kind.lock(0, name);
        lock.acquire();
        Lease lease = here().get(0);

        kind.restart(false);

        usedNext(lock);
        await().atMost(kind.granted().multipliedBy(2)).until(() -> lease.death() != null);
        try {
            lock.release();
        } catch (Exception e) {
            // Its session is over.
        }
        assertThat(here()).isEmpty();
        acquiredAndReleased(kind.lock(1, name));
    }

    /** Tries for a while, and returns the token that it had. */
    private long acquiredAndReleased(ServiceLock next) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            try {
                if (next.acquire(Duration.ofSeconds(5))) {
                    break;
                }
            } catch (Exception e) {
                // Its session is over as well, until it has another.
            }
            assertThat(System.nanoTime() - until).as("nanoseconds late").isNegative();
        }
        long token = here().get(0).token();
        next.release();
        return token;
    }

    @Test
    void whatNoRuleNamesHasNoLease() throws Exception {
        recorder.watched = lock -> false;
        ServiceLock lock = kind.lock(0, fresh());

        lock.acquire();

        assertThat(recorder.begun).isEmpty();
        assertThat(here()).isEmpty();
        lock.release();
    }

    @Test
    void whereNothingMayBeAskedThereIsALeaseWithoutAToken() throws Exception {
        recorder.asked = lock -> false;
        ServiceLock lock = kind.lock(0, fresh());

        lock.acquire();

        Lease lease = here().get(0);
        assertThat(lease.token()).isZero();
        if (kind.endsByTime()) {
            long first = lease.deadline().at();
            await().atMost(kind.granted().multipliedBy(3))
                    .until(() -> System.nanoTime() - first > kind.granted().toNanos() / 4);
        }
        assertThat(lease.death()).isNull();
        lock.release();
        assertThat(lease.released()).isTrue();
    }

    /** By four threads of two clients. */
    @Test
    void tokensGrowOverAThousandChangesOfOwnership() throws Exception {
        String name = fresh();
        int threads = 4;
        int rounds = 250;
        AtomicInteger inside = new AtomicInteger();
        List<Long> tokens = new ArrayList<>();
        List<Future<Void>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            ServiceLock lock = kind.lock(t % 2, name);
            all.add(start(() -> {
                for (int i = 0; i < rounds; i++) {
                    lock.acquire();
                    assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
                    tokens.add(here().get(0).token());
                    inside.decrementAndGet();
                    lock.release();
                }
                return null;
            }));
        }
        for (Future<Void> each : all) {
            each.get(110, TimeUnit.SECONDS);
        }
        assertThat(tokens).hasSize(threads * rounds).isSorted().doesNotHaveDuplicates();
    }

    /** A lock name that no other test uses. */
    protected static String fresh() {
        return "order-" + UUID.randomUUID();
    }

    protected static List<Lease> here() {
        return List.of(LeaseContext.current());
    }

    /** Runs on another thread and waits. */
    protected <T> T elsewhere(Callable<T> work) throws Exception {
        return start(work).get(60, TimeUnit.SECONDS);
    }

    protected <T> Future<T> start(Callable<T> work) {
        return others.submit(work);
    }
}
