/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.agent.WovenLocks;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.curator.CuratorLibrary;
import io.lockfence.it.locks.Recorder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three servers. */
@Timeout(180)
class EnsembleTest {
    private static final int SESSION_MILLIS = 15_000;

    static {
        WovenLocks.install(new CuratorLibrary());
    }

    private final Recorder recorder = new Recorder();
    private TestingCluster ensemble;
    private CuratorFramework holder;
    private CuratorFramework other;

    @BeforeEach
    void start() throws Exception {
        Seams.connect(recorder, null, recorder.faults::add);
        ensemble = new TestingCluster(3);
        ensemble.start();
        holder = client();
        other = client();
    }

    private CuratorFramework client() throws InterruptedException {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(ensemble.getConnectString())
                .sessionTimeoutMs(SESSION_MILLIS)
                .connectionTimeoutMs(5_000)
                .retryPolicy(new RetryNTimes(20, 500))
                .build();
        client.start();
        assertThat(client.blockUntilConnected(30, TimeUnit.SECONDS)).isTrue();
        return client;
    }

    @AfterEach
    void stop() throws Exception {
        holder.close();
        other.close();
        ensemble.close();
        recorder.close();
        assertThat(recorder.faults).isEmpty();
    }

    /** Each of the three goes down in turn: the one that leads, and the one that the client is connected to, are among them. */
    @Test
    void aHolderKeepsItsLeaseWhileTheServersGoDownOneAfterTheOther() throws Exception {
        InterProcessMutex lock = new InterProcessMutex(holder, "/locks/1");
        lock.acquire();
        Lease lease = LeaseContext.current()[0];
        long token = lease.token();

        for (InstanceSpec server : ensemble.getInstances()) {
            assertThat(ensemble.killServer(server)).isTrue();
            seenSince(System.nanoTime());
            assertThat(lease.death()).isNull();
            ensemble.restartServer(server);
            seenSince(System.nanoTime());
            assertThat(lease.death()).isNull();
        }

        assertThat(lease.token()).isEqualTo(token);
        InterProcessMutex next = new InterProcessMutex(other, "/locks/1");
        assertThat(next.acquire(300, TimeUnit.MILLISECONDS)).isFalse();
        lock.release();
        assertThat(next.acquire(30, TimeUnit.SECONDS)).isTrue();
        assertThat(LeaseContext.current()[0].token()).as("of a later epoch").isGreaterThan(token);
        next.release();
    }

    /** ZooKeeper has answered for the lock, when asked after this. */
    private void seenSince(long instant) {
        await().atMost(Duration.ofMillis(SESSION_MILLIS))
                .until(() -> recorder.of("renewed").stream().anyMatch(event -> event.sentAt() - instant > 0));
    }
}
