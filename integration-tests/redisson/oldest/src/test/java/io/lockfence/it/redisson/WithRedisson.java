/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.agent.WovenLocks;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import io.lockfence.it.locks.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A woven Redisson, a real Redis and a recorder behind the seam. */
abstract class WithRedisson {
    static final long WATCHDOG_MILLIS = 3_000;

    Recorder recorder;
    RedissonClient redisson;
    private final List<RedissonClient> clients = new ArrayList<>();
    private final ExecutorService others = Executors.newCachedThreadPool();

    static {
        WovenLocks.install(new RedissonLibrary());
    }

    @BeforeEach
    void start() {
        recorder = new Recorder();
        Seams.connect(recorder, null, recorder.faults::add);
        redisson = client(config -> {});
    }

    @AfterEach
    void stop() {
        others.shutdownNow();
        clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
        recorder.close();
        assertThat(recorder.faults).as("faults of our own").isEmpty();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(LeaseContext.active())
                        .as("what is left active")
                        .isZero());
    }

    RedissonClient client(Consumer<Config> changes) {
        Config config = new Config();
        config.setLockWatchdogTimeout(WATCHDOG_MILLIS);
        config.setNettyThreads(4).setThreads(4);
        config.useSingleServer()
                .setAddress(RedisServers.address())
                .setConnectionMinimumIdleSize(4)
                .setConnectionPoolSize(16);
        changes.accept(config);
        RedissonClient client = Redisson.create(config);
        clients.add(client);
        return client;
    }

    /** A lock name that no other test uses. */
    static String fresh() {
        return "order:" + UUID.randomUUID();
    }

    static String counter(String lock) {
        return "lockfence:token:{" + lock + "}";
    }

    static List<Lease> here() {
        return List.of(LeaseContext.current());
    }

    static long leftMillis(Lease lease) {
        return TimeUnit.NANOSECONDS.toMillis(lease.deadline().left());
    }

    static long pttl(String lock) {
        return Long.parseLong(RedisServers.command("PTTL", lock));
    }

    /** Runs on another thread and waits. */
    <T> T elsewhere(Callable<T> work) throws Exception {
        return start(work).get(20, TimeUnit.SECONDS);
    }

    <T> Future<T> start(Callable<T> work) {
        return others.submit(work);
    }
}
