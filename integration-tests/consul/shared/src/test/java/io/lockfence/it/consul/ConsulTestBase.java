/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.it.locks.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of Consul's ways share: an agent that records, another thread, and Consul's own view. */
abstract class ConsulTestBase {
    final Recorder recorder = new Recorder();
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @BeforeEach
    void connect() {
        Seams.connect(recorder, null, recorder.faults::add);
        recorder.process = lock -> lock.endsWith("leader");
    }

    @AfterEach
    void nothingIsLeft() {
        other.shutdownNow();
        recorder.close();
        assertThat(recorder.faults).as("faults of our own").isEmpty();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(LeaseContext.active()).isZero());
    }

    static List<Lease> here() {
        return List.of(LeaseContext.current());
    }

    /** Runs on another thread, always the same, and waits. */
    <T> T elsewhere(Callable<T> work) throws Exception {
        return other.submit(work).get(60, TimeUnit.SECONDS);
    }

    /** A number of a key, as Consul shows it. */
    static long number(String shown, String field) {
        Matcher found = Pattern.compile("\"" + field + "\"\\s*:\\s*(\\d+)").matcher(shown);
        assertThat(found.find()).as(shown).isTrue();
        return Long.parseLong(found.group(1));
    }

    static void awaitDead(Lease lease, Lease.Death how) {
        await().atMost(Duration.ofSeconds(15)).until(() -> lease.death() == how);
    }
}
