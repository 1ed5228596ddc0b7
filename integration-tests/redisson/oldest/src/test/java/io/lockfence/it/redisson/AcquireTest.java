/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

@Timeout(60)
class AcquireTest extends WithRedisson {
    @Test
    void lockBeginsOneLeaseOnTheCallersThreadAndUnlockEndsIt() {
        String name = fresh();
        RLock lock = redisson.getLock(name);

        lock.lock();

        assertThat(here()).hasSize(1);
        Lease lease = here().get(0);
        Acquisition told = recorder.last().acquisition();
        assertThat(recorder.last().thread()).isSameAs(Thread.currentThread());
        assertThat(told.library()).isEqualTo("redisson");
        assertThat(told.lock()).isEqualTo(name);
        assertThat(told.owner())
                .startsWith(name + "|")
                .endsWith(":" + Thread.currentThread().getId());
        assertThat(told.ownsThread()).isTrue();
        assertThat(told.explicitLease()).isFalse();
        assertThat(told.failure()).isNull();
        assertThat(told.proof().held()).isTrue();
        assertThat(told.proof().holdCount()).isEqualTo(1);
        assertThat(lease.token())
                .isEqualTo(Long.parseLong(RedisServers.command("GET", counter(name))))
                .isGreaterThan(1_700_000_000_000_000L);
        assertThat(told.proof().timeLeftNanos()).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(WATCHDOG_MILLIS));
        assertThat(lease.deadline().at())
                .isGreaterThanOrEqualTo(
                        Deadline.end(told.proof().sentAt(), told.proof().timeLeftNanos()));

        lock.unlock();

        assertThat(here()).isEmpty();
        assertThat(lease.released()).isTrue();
        assertThat(lease.death()).isNull();
        assertThat(recorder.begun).hasSize(1);
    }

    @Test
    void everySynchronousMethodBeginsALease() throws Exception {
        RLock lock = redisson.getLock(fresh());
        record Way(String name, Attempt attempt, boolean explicit) {}
        for (Way way : new Way[] {
            new Way("lock()", lock::lock, false),
            new Way("lock(10 s)", () -> lock.lock(10, TimeUnit.SECONDS), true),
            new Way("lock(-1)", () -> lock.lock(-1, TimeUnit.SECONDS), false),
            new Way("lockInterruptibly()", lock::lockInterruptibly, false),
            new Way("lockInterruptibly(10 s)", () -> lock.lockInterruptibly(10, TimeUnit.SECONDS), true),
            new Way("tryLock()", lock::tryLock, false),
            new Way("tryLock(1 s)", () -> lock.tryLock(1, TimeUnit.SECONDS), false),
            new Way("tryLock(1 s, 10 s)", () -> lock.tryLock(1, 10, TimeUnit.SECONDS), true),
            new Way("tryLock(0, -1)", () -> lock.tryLock(0, -1, TimeUnit.SECONDS), false)
        }) {
            int before = recorder.begun.size();

            way.attempt.run();

            assertThat(recorder.begun).as(way.name).hasSize(before + 1);
            assertThat(here()).as(way.name).containsExactly(recorder.last().lease());
            assertThat(recorder.last().acquisition().explicitLease())
                    .as(way.name)
                    .isEqualTo(way.explicit);
            assertThat(recorder.last().lease().token()).as(way.name).isPositive();
            lock.unlock();
            assertThat(here()).as(way.name).isEmpty();
        }
        assertThat(recorder.degraded).isEmpty();
    }

    private interface Attempt {
        void run() throws InterruptedException;
    }

    @Test
    void theLeaseTimeIsWhatRedisGranted() {
        RLock lock = redisson.getLock(fresh());

        lock.lock(10, TimeUnit.SECONDS);

        assertThat(leftMillis(here().get(0))).isBetween(5_000L, 9_900L);
        lock.unlock();
    }

    @Test
    void theLeaseTimeOfALaterHoldIsWhatRedisGrantedEvenWhereTheLockObjectRemembersAnOlderOne() {
        // Up to 3.19 a lock object goes on using the lease time of an earlier lock(leaseTime): 2 s here, not the
        // watchdog's 3.
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(2, TimeUnit.SECONDS);
        lock.unlock();

        lock.lock();

        Lease lease = here().get(0);
        // Until no renewal comes between the two looks.
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
            long before = pttl(name);
            long left = leftMillis(lease);
            long after = pttl(name);
            assertThat(left).isBetween(after - 500, before);
        });
        lock.unlock();
    }

    @Test
    void aLockThatIsTakenGivesNoLease() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(10, TimeUnit.SECONDS);

        boolean acquired = elsewhere(() -> {
            RLock same = redisson.getLock(name);
            boolean got = same.tryLock() || same.tryLock(50, TimeUnit.MILLISECONDS);
            assertThat(here()).isEmpty();
            return got;
        });

        assertThat(acquired).isFalse();
        assertThat(recorder.begun).hasSize(1);
        lock.unlock();
    }

    @Test
    void aWaiterGetsItsLeaseWhenItsTurnComesAndAHigherToken() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock();
        long first = here().get(0).token();
        RedissonClient other = client(config -> {});
        CountDownLatch waiting = new CountDownLatch(1);
        Future<Long> second = start(() -> {
            RLock same = other.getLock(name);
            waiting.countDown();
            same.lock();
            try {
                assertThat(here()).hasSize(1);
                return here().get(0).token();
            } finally {
                same.unlock();
            }
        });
        waiting.await();

        assertThat(recorder.begun).hasSize(1);
        lock.unlock();

        assertThat(second.get(10, TimeUnit.SECONDS)).isGreaterThan(first);
    }

    @Test
    void fairLocksAreFenced() throws Exception {
        String name = fresh();
        RLock lock = redisson.getFairLock(name);
        lock.lock();
        long first = here().get(0).token();
        Future<Long> second = start(() -> {
            RLock same = redisson.getFairLock(name);
            same.lock(5, TimeUnit.SECONDS);
            long token = here().get(0).token();
            assertThat(recorder.last().acquisition().explicitLease()).isTrue();
            same.unlock();
            return token;
        });

        lock.unlock();

        assertThat(second.get(10, TimeUnit.SECONDS)).isGreaterThan(first);
        assertThat(recorder.begun).hasSize(2);
    }

    @Test
    void reEntryKeepsTheLeaseAndIssuesNoToken() {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock();
        Lease lease = here().get(0);

        lock.lock();

        assertThat(here()).containsExactly(lease);
        assertThat(recorder.last().acquisition().proof().holdCount()).isEqualTo(2);
        assertThat(recorder.last().acquisition().proof().token()).isZero();
        assertThat(RedisServers.command("GET", counter(name))).isEqualTo(Long.toString(lease.token()));
        lock.unlock();
        assertThat(here()).containsExactly(lease);
        lock.unlock();
        assertThat(here()).isEmpty();
    }

    @Test
    void reEntryWithAShorterLeaseTimeMovesTheDeadlineBack() {
        RLock lock = redisson.getLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);

        lock.lock(2, TimeUnit.SECONDS);

        assertThat(leftMillis(lease)).isLessThanOrEqualTo(2_000);
        assertThat(recorder.count("shortened")).isEqualTo(1);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void anInterruptedWaiterGetsNoLease() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Future<?> waiter = start(() -> {
            RLock same = redisson.getLock(name);
            Thread.currentThread().interrupt();
            assertThatThrownBy(same::lockInterruptibly).isInstanceOf(Exception.class);
            assertThat(here()).isEmpty();
            return null;
        });

        waiter.get(10, TimeUnit.SECONDS);

        assertThat(recorder.begun).hasSize(1);
        lock.unlock();
    }

    @Test
    void aLockThatNoRuleNamesIsLeftAlone() {
        recorder.watched = lock -> false;
        String name = fresh();
        RLock lock = redisson.getLock(name);

        lock.lock();
        lock.unlock();

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.events).isEmpty();
        assertThat(RedisServers.command("EXISTS", counter(name))).isEqualTo("0");
    }

    @Test
    void whereNothingMayLeaveTheJvmTheLeaseIsCountedFromTheServicesOwnRequest() {
        recorder.asked = lock -> false;
        String name = fresh();
        RLock lock = redisson.getLock(name);

        lock.lock(10, TimeUnit.SECONDS);
        lock.lock(10, TimeUnit.SECONDS);

        Acquisition told = recorder.last().acquisition();
        assertThat(told.proof().token()).isZero();
        assertThat(told.proof().holdCount()).isEqualTo(2);
        assertThat(told.proof().timeLeftNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
        assertThat(here()).hasSize(1);
        assertThat(leftMillis(here().get(0))).isBetween(5_000L, 9_900L);
        lock.unlock();
        lock.unlock();
        assertThat(RedisServers.command("EXISTS", counter(name))).isEqualTo("0");
    }

    @Test
    void claimsAtAcquireBlockTheCallersThreadAndNoneOfRedissons() {
        recorder.claimsAtAcquire = true;
        RLock lock = redisson.getLock(fresh());

        lock.lock();

        assertThat(recorder.last().thread()).isSameAs(Thread.currentThread());
        lock.unlock();
    }

    @Test
    void oneNettyThreadAndOneExecutorThreadAreEnough() {
        RedissonClient narrow = client(config -> config.setNettyThreads(1).setThreads(1));
        RLock lock = narrow.getLock(fresh());
        long began = System.nanoTime();

        for (int i = 0; i < 20; i++) {
            lock.lock();
            lock.unlock();
            assertThat(lock.tryLockAsync().toCompletableFuture().join()).isTrue();
            lock.unlockAsync().toCompletableFuture().join();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(30));
        assertThat(recorder.begun)
                .hasSize(40)
                .allMatch(began40 -> began40.acquisition().failure() == null);
    }

    @Test
    void threadsKeepNothingAfterwards() throws Exception {
        RLock lock = redisson.getLock(fresh());

        elsewhere(() -> {
            lock.lock();
            lock.unlock();
            return null;
        });

        assertThat(LeaseContext.active()).isZero();
    }
}
