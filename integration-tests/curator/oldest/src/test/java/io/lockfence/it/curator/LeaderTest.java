/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.it.locks.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaders, locks that are made of others, and locks that are not fenced. */
@Timeout(60)
class LeaderTest {
    private final Recorder recorder = new Recorder();
    private CuratorKind kind;
    private CuratorFramework client;

    @BeforeEach
    void start() throws Exception {
        Seams.connect(recorder, null, recorder.faults::add);
        recorder.process = lock -> lock.endsWith("leader");
        kind = new CuratorKind(true, true, "latch-", "", InterProcessMutex::new);
        client = kind.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        kind.close();
        recorder.close();
        assertThat(recorder.faults).isEmpty();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(LeaseContext.active()).isZero());
    }

    @Test
    void aLatchHasItsLeaseBeforeItsListenersAreTold() throws Exception {
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                seen.add(recorder.begun.size());
            }

            @Override
            public void notLeader() {}
        });
        latch.start();

        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();

        await().until(() -> !seen.isEmpty());
        assertThat(seen).containsExactly(1);
        Lease lease = recorder.last().lease();
        assertThat(recorder.last().acquisition().lock()).isEqualTo("/shop/leader");
        assertThat(recorder.last().acquisition().context()).isNull();
        assertThat(lease.token()).isPositive();
        assertThat(lease.death()).isNull();

        latch.close();

        assertThat(lease.released()).isTrue();
        assertThat(lease.death()).isNull();
    }

    @Test
    void tokensOfLeadersGrow() throws Exception {
        long before = 0;
        for (int i = 0; i < 20; i++) {
            LeaderLatch latch = new LeaderLatch(client, "/leader");
            latch.start();
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(recorder.last().lease().token()).isGreaterThan(before);
            before = recorder.last().lease().token();
            latch.close();
        }
        assertThat(recorder.begun).hasSize(20);
    }

    @Test
    void aLeaderWhoseNodeAnAdministratorDeletedIsTold() throws Exception {
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.start();
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        Lease lease = recorder.last().lease();

        for (String node : client.getChildren().forPath("/leader")) {
            client.delete().forPath("/leader/" + node);
        }

        await().atMost(Duration.ofMillis(CuratorKind.SESSION_MILLIS)).until(() -> lease.death() == Lease.Death.LOST);
        latch.close();
    }

    @Test
    void aLeaderWhoseServerIsRestartedLeadsUnderALeaseThatLives() throws Exception {
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.start();
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();

        kind.restart(true);

        // Before 5.x a latch takes another node when its client is connected again.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(latch.hasLeadership()).isTrue();
            Lease lease = recorder.last().lease();
            assertThat(lease.death()).isNull();
            assertThat(lease.token())
                    .isEqualTo(client.checkExists()
                            .forPath("/leader/" + only(client.getChildren().forPath("/leader")))
                            .getCzxid());
        });
        latch.close();
        assertThat(recorder.last().lease().released()).isTrue();
    }

    /** What the process does goes on being refused, until it leads again or gives up. */
    @Test
    void aDeposedLeaderKeepsItsDeadLease() throws Exception {
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.start();
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        Lease lease = recorder.last().lease();

        kind.cutOff();

        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> !latch.hasLeadership() && lease.death() != null);
            assertThat(lease.released()).isFalse();
            assertThat(recorder.count("released")).isZero();
        } finally {
            kind.heal();
        }
        latch.close();
        assertThat(lease.released()).isTrue();
    }

    @Test
    void aLatchOfAThreadsRuleIsReported() throws Exception {
        recorder.process = lock -> false;
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.start();

        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.unsupported)
                .containsExactly("LeaderLatch without `scope: process` in its rule /shop/leader");
        latch.close();
    }

    @Test
    void aSelectorLeadsUnderALeaseForAsLongAsItsListenerRuns() throws Exception {
        CountDownLatch leading = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        List<Lease> under = Collections.synchronizedList(new ArrayList<>());
        LeaderSelector selector = new LeaderSelector(client, "/leader", new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework framework) throws Exception {
                under.addAll(List.of(LeaseContext.current()));
                leading.countDown();
                end.await();
            }
        });
        selector.start();
        assertThat(leading.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(under).hasSize(1);
        Lease lease = under.get(0);
        assertThat(lease.token()).isPositive();
        assertThat(lease.released()).isFalse();

        end.countDown();

        await().until(lease::released);
        selector.close();
    }

    /** Cut off for longer than a lease lasts, and shorter than ZooKeeper takes to notice: it is the leader all the time. */
    @Test
    void aLeaderThatHeldOnWhileItsLeaseExpiredGoesOnUnderANewOne() throws Exception {
        try (CuratorFramework patient = kind.client(4 * CuratorKind.SESSION_MILLIS)) {
            InterProcessMutex leadership = new InterProcessMutex(patient, "/leader");
            leadership.acquire();
            Lease lease = recorder.last().lease();

            kind.cutOff();
            await().atMost(Duration.ofSeconds(20)).until(() -> lease.death() == Lease.Death.EXPIRED);
            kind.heal();

            await().atMost(Duration.ofSeconds(20)).until(() -> !recorder.returned.isEmpty());
            Lease anew = recorder.returned.get(0);
            assertThat(anew.token()).isEqualTo(lease.token());
            assertThat(anew.death()).isNull();
            assertThat(lease.death()).isEqualTo(Lease.Death.EXPIRED);
            leadership.release();
            assertThat(anew.released()).isTrue();
        }
    }

    /** The leader may have to wait for the database with its claim for longer than its call waits. */
    @Test
    void aLatchWhoseClaimTakesLongIsAskedForAllTheSame() throws Exception {
        CountDownLatch claimed = new CountDownLatch(1);
        recorder.claimsAtAcquire = true;
        recorder.claim = () -> {
            try {
                assertThat(claimed.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        LeaderLatch latch = new LeaderLatch(client, "/leader");
        latch.start();

        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(10)).until(() -> recorder.count("renewed") > 0);
        claimed.countDown();

        await().until(() -> !recorder.begun.isEmpty());
        Lease lease = recorder.last().lease();
        for (String node : client.getChildren().forPath("/leader")) {
            client.delete().forPath("/leader/" + node);
        }
        await().atMost(Duration.ofMillis(CuratorKind.SESSION_MILLIS)).until(() -> lease.death() == Lease.Death.LOST);
        latch.close();
    }

    private static String only(List<String> nodes) {
        assertThat(nodes).hasSize(1);
        return nodes.get(0);
    }

    @Test
    void eachMemberOfAMultiLockHasALease() throws Exception {
        InterProcessMultiLock both = new InterProcessMultiLock(client, List.of("/locks/a", "/locks/b"));

        both.acquire();

        assertThat(LeaseContext.current()).hasSize(2);
        assertThat(recorder.begun.stream().map(began -> began.acquisition().lock()))
                .containsExactly("/shop/locks/a", "/shop/locks/b");
        both.release();
        assertThat(LeaseContext.current()).isEmpty();
    }

    /** ZooKeeper removes what is left empty for a while; the numbers in the names of nodes then begin anew. */
    @Test
    void aLockWhoseContainerWasReapedGoesOnWithHigherTokens() throws Exception {
        InterProcessMutex lock = new InterProcessMutex(client, "/locks/reaped");
        lock.acquire();
        String first = only(client.getChildren().forPath("/locks/reaped"));
        long before = LeaseContext.current()[0].token();
        lock.release();
        client.delete().forPath("/locks/reaped");

        lock.acquire();

        assertThat(sequence(only(client.getChildren().forPath("/locks/reaped"))))
                .as("the control: it goes back")
                .isEqualTo(sequence(first));
        assertThat(LeaseContext.current()[0].token()).isGreaterThan(before);
        lock.release();
    }

    private static String sequence(String node) {
        return node.substring(node.lastIndexOf('-') + 1);
    }

    @Test
    void locksThatAreNotExclusiveAreReported() throws Exception {
        InterProcessReadWriteLock pair = new InterProcessReadWriteLock(client, "/locks/pair");
        pair.readLock().acquire();
        pair.readLock().release();
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, "/locks/two", 2);
        semaphore.returnLease(semaphore.acquire());
        SharedCount count = new SharedCount(client, "/counts/one", 1);
        count.start();
        InterProcessSemaphoreV2 resizable = new InterProcessSemaphoreV2(client, "/locks/resizable", count);
        resizable.returnLease(resizable.acquire());
        count.close();

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.unsupported)
                .containsExactly(
                        "InterProcessReadWriteLock.readLock() /shop/locks/pair",
                        "InterProcessSemaphoreV2 with 2 leases /shop/locks/two",
                        "InterProcessSemaphoreV2 with a SharedCountReader /shop/locks/resizable");
    }
}
