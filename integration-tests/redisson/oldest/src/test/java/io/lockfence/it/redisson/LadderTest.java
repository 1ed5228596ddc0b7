/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.agent.WovenLocks;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import io.lockfence.it.locks.Recorder;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Versions of Redisson in which a hook is missing: less is seen, it is said, and the lock is fenced as well as can be. */
@Timeout(90)
class LadderTest {
    private static final Set<String> RENEWALS = Set.of("renewExpirationAsync", "syncedEval");
    private static final Set<String> ATTEMPTS = Set.of("tryLockInnerAsync");
    private static final Set<String> RELEASES = Set.of("unlockAsync");
    private static final Set<String> ALL_ACQUIRES = Set.of(
            "tryLockInnerAsync",
            "lock",
            "tryLock",
            "lockInterruptibly",
            "lockAsync",
            "tryLockAsync",
            "lockAndGetToken",
            "tryLockAndGetToken",
            "tryLockAndGetTokenAsync");

    private final Recorder recorder = new Recorder();

    @BeforeEach
    void start() {
        WovenLocks.install(new RedissonLibrary());
        Seams.connect(recorder, null, recorder.faults::add);
        System.setProperty("lockfence.test.redis", RedisServers.address());
    }

    @AfterEach
    void stop() {
        recorder.close();
        assertThat(recorder.faults).isEmpty();
    }

    private static Library.Level level(Set<String> renamed) throws IOException {
        try (Doctored copy = new Doctored(renamed)) {
            return WovenLocks.level(new RedissonLibrary(), copy, copy::bytes);
        }
    }

    @Test
    void theLevelIsThatOfWhatIsThere() throws IOException {
        assertThat(level(Set.of())).isEqualTo(Library.Level.FULL);
        assertThat(level(RENEWALS)).isEqualTo(Library.Level.PROBING);
        assertThat(level(ATTEMPTS)).isEqualTo(Library.Level.ASKING);
        assertThat(level(RELEASES)).isEqualTo(Library.Level.INACTIVE);
        assertThat(level(ALL_ACQUIRES)).isEqualTo(Library.Level.INACTIVE);
    }

    @Test
    void withoutTheHookOfRenewalsTheServerIsAskedBeforeTimeRunsOut() throws Exception {
        try (Doctored copy = new Doctored(RENEWALS)) {
            Held held = held(copy.run(LockWithWatchdog.class));
            Lease lease = LeaseContext.current()[0];
            long first = lease.deadline().at();

            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> lease.deadline().at() - first > TimeUnit.SECONDS.toNanos(4));

            assertThat(lease.death()).as("after more than twice its first time").isNull();
            assertThat(recorder.degraded).anyMatch(why -> why.contains("renewed"));
            RedisServers.command("FLUSHALL");
            await().atMost(10, TimeUnit.SECONDS).until(() -> lease.death() == Lease.Death.LOST);
            held.shutdown.run();
        }
    }

    @Test
    void withoutTheHookOfAttemptsTheServerIsAskedAfterEachCall() throws Exception {
        try (Doctored copy = new Doctored(ATTEMPTS)) {
            for (Class<?> way : List.of(LockWithWatchdog.class, TryLock.class, LockAsync.class)) {
                Held held = held(copy.run(way));

                assertThat(LeaseContext.current()).as(way.getSimpleName()).hasSize(1);
                Lease lease = LeaseContext.current()[0];
                assertThat(lease.token()).as(way.getSimpleName()).isPositive();
                assertThat(lease.death()).as(way.getSimpleName()).isNull();
                held.unlock.run();
                assertThat(LeaseContext.current()).as(way.getSimpleName()).isEmpty();
                held.shutdown.run();
            }
            assertThat(recorder.begun).hasSize(3);
            assertThat(recorder.degraded).anyMatch(why -> why.contains("without an attempt"));
        }
    }

    @Test
    void withoutAWayToTheServerTheLeaseIsUnusableAndTheLockIsNot() throws Exception {
        try (Doctored copy = new Doctored(Set.of("evalWriteAsync"))) {
            Held held = held(copy.run(LockWithWatchdog.class));

            assertThat(LeaseContext.current()).hasSize(1);
            assertThat(LeaseContext.current()[0].death()).isEqualTo(Lease.Death.UNUSABLE);
            assertThat(recorder.last().acquisition().failure()).contains("not of a shape that Lockfence knows");
            held.unlock.run();
            assertThat(LeaseContext.current()).isEmpty();
            held.shutdown.run();
        }
    }

    @Test
    void withoutTheHookOfAttemptsALockThatIsTakenGivesNoLease() throws Exception {
        try (Doctored copy = new Doctored(ATTEMPTS)) {
            String name = "order:" + UUID.randomUUID();
            RedisServers.command("HSET", name, "another", "1");
            System.setProperty("lockfence.test.taken", name);

            Held held = held(copy.run(TryLockOfATakenLock.class));

            assertThat(LeaseContext.current()).isEmpty();
            assertThat(recorder.begun).isEmpty();
            held.shutdown.run();
        }
    }

    private record Held(Runnable unlock, Runnable shutdown) {}

    private static Held held(Runnable[] ends) {
        return new Held(ends[0], ends[1]);
    }

    private static RedissonClient client() {
        Config config = new Config();
        config.setLockWatchdogTimeout(3_000);
        config.setNettyThreads(2).setThreads(2);
        config.useSingleServer()
                .setAddress(System.getProperty("lockfence.test.redis"))
                .setConnectionMinimumIdleSize(2)
                .setConnectionPoolSize(4);
        return Redisson.create(config);
    }

    private static Runnable shutdown(RedissonClient client) {
        return () -> client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    // What follows runs in the copy.

    static final class LockWithWatchdog {
        static Runnable[] run() {
            RedissonClient client = client();
            RLock lock = client.getLock("order:" + UUID.randomUUID());
            lock.lock();
            return new Runnable[] {lock::unlock, shutdown(client)};
        }
    }

    static final class TryLock {
        static Runnable[] run() throws InterruptedException {
            RedissonClient client = client();
            RLock lock = client.getLock("order:" + UUID.randomUUID());
            assertThat(lock.tryLock(1, 10, TimeUnit.SECONDS)).isTrue();
            return new Runnable[] {lock::unlock, shutdown(client)};
        }
    }

    static final class LockAsync {
        static Runnable[] run() {
            RedissonClient client = client();
            RLock lock = client.getLock("order:" + UUID.randomUUID());
            lock.lockAsync().toCompletableFuture().join();
            return new Runnable[] {lock::unlock, shutdown(client)};
        }
    }

    static final class TryLockOfATakenLock {
        static Runnable[] run() throws InterruptedException {
            RedissonClient client = client();
            RLock lock = client.getLock(System.getProperty("lockfence.test.taken"));
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(lock.tryLockAsync().toCompletableFuture().join()).isFalse();
            return new Runnable[] {() -> {}, shutdown(client)};
        }
    }
}
