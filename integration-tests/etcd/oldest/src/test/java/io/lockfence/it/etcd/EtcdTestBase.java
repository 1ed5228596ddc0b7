/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static io.lockfence.it.etcd.EtcdKind.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of jetcd's ways share: an agent that records, another thread, and etcd's own view. */
abstract class EtcdTestBase {
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

    static long grant(Client client, long seconds) throws Exception {
        return client.getLeaseClient().grant(seconds).get(10, TimeUnit.SECONDS).getID();
    }

    static long grantKeptAlive(Client client, long seconds) throws Exception {
        long leaseId = grant(client, seconds);
        client.getLeaseClient().keepAlive(leaseId, new EtcdKind.Unheeded());
        return leaseId;
    }

    /** Returns the key. */
    static ByteSequence lock(Client client, String name, long leaseId) throws Exception {
        return client.getLockClient()
                .lock(bytes(name), leaseId)
                .get(20, TimeUnit.SECONDS)
                .getKey();
    }

    static void unlock(Client client, ByteSequence key) throws Exception {
        client.getLockClient().unlock(key).get(20, TimeUnit.SECONDS);
    }

    static void revoke(Client client, long leaseId) throws Exception {
        client.getLeaseClient().revoke(leaseId).get(20, TimeUnit.SECONDS);
    }

    /** The key as etcd has it; empty if it has none. */
    static List<KeyValue> find(Client client, ByteSequence key) throws Exception {
        return client.getKVClient().get(key).get(20, TimeUnit.SECONDS).getKvs();
    }

    static List<KeyValue> find(Client client, String name, long leaseId) throws Exception {
        return find(client, bytes(name + "/" + Long.toHexString(leaseId)));
    }
}
