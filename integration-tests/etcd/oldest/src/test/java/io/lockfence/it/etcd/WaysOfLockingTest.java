/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static io.lockfence.it.etcd.EtcdKind.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lock.LockResponse;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.it.Etcd;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What services do with jetcd's locks and leases beyond the contract, on etcd 3.4. */
@Timeout(60)
class WaysOfLockingTest extends EtcdTestBase {
    private static final long LONG = 30;

    private static EtcdKind kind;
    private static Client a;
    private static Client b;

    private final String name = "ways/" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        kind = new EtcdKind(Etcd.Version.V3_4);
        a = kind.client(0);
        b = kind.client(1);
    }

    @AfterAll
    static void stop() {
        kind.close();
    }

    /** Case B14: etcd says "acquired" to both, and only one of them has a key. */
    @Test
    void aWaiterWhoseLeaseHasEndedIsToldAcquiredAndHasADeadLease() throws Exception {
        ByteSequence first = elsewhere(() -> lock(a, name, grant(a, LONG)));
        long ending = grant(b, 2);
        CompletableFuture<LockResponse> waiting = b.getLockClient().lock(bytes(name), ending);
        await().until(() -> !find(b, name, ending).isEmpty());
        await().atMost(Duration.ofSeconds(20)).until(() -> find(b, name, ending).isEmpty());

        elsewhere(() -> {
            unlock(a, first);
            return null;
        });
        LockResponse told = waiting.get(20, TimeUnit.SECONDS);
        Lease ofWaiter = here().get(0);
        ByteSequence second = elsewhere(() -> lock(a, name, grant(a, LONG)));

        // Without a look at the keys there were two holders now.
        assertThat(find(b, told.getKey())).isEmpty();
        assertThat(find(b, second)).hasSize(1);
        assertThat(ofWaiter.death()).isNotNull();
        assertThat(ofWaiter.deathCause()).contains("owns nothing", "keep it alive from before lock()");
        Lease ofSecond = recorder.last().lease();
        assertThat(ofSecond.death()).isNull();
        assertThat(ofSecond.token()).isEqualTo(find(b, second).get(0).getCreateRevision());
        unlock(b, told.getKey());
        assertThat(here()).isEmpty();
        elsewhere(() -> {
            unlock(a, second);
            return null;
        });
    }

    @Test
    void theTokenIsTheCreateRevisionWhateverTheHeaderSays() throws Exception {
        ByteSequence first = elsewhere(() -> lock(a, name, grant(a, LONG)));
        long waiter = grantKeptAlive(b, LONG);
        CompletableFuture<LockResponse> waiting = b.getLockClient().lock(bytes(name), waiter);
        await().until(() -> !find(b, name, waiter).isEmpty());
        a.getKVClient().put(bytes("unrelated"), bytes("1")).get(20, TimeUnit.SECONDS);

        elsewhere(() -> {
            unlock(a, first);
            return null;
        });
        LockResponse told = waiting.get(20, TimeUnit.SECONDS);

        long created = find(b, told.getKey()).get(0).getCreateRevision();
        assertThat(told.getHeader().getRevision()).isGreaterThan(created);
        assertThat(here().get(0).token()).isEqualTo(created);
        unlock(b, told.getKey());
    }

    @Test
    void askingOnceMoreWithTheSameLeaseKeepsTheLeaseAndOneUnlockEndsIt() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        ByteSequence key = lock(a, name, leaseId);
        Lease lease = here().get(0);

        assertThat(lock(a, name, leaseId)).isEqualTo(key);

        assertThat(here()).containsExactly(lease);
        assertThat(recorder.begun).hasSize(1);
        assertThat(recorder.unsupported).isEmpty();
        unlock(a, key);
        assertThat(here()).isEmpty();
        assertThat(lease.released()).isTrue();
        assertThat(find(a, key)).isEmpty();
        revoke(a, leaseId);
    }

    @Test
    void twoThreadsWithOneLeaseAreReportedAndHaveOneLease() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        ByteSequence key = lock(a, name, leaseId);
        Lease lease = here().get(0);

        List<Lease> others = elsewhere(() -> {
            lock(a, name, leaseId);
            return here();
        });

        assertThat(others).containsExactly(lease);
        assertThat(recorder.begun).hasSize(1);
        assertThat(recorder.unsupported).singleElement().asString().contains("two threads with one etcd lease", name);
        unlock(a, key);
        assertThat(lease.released()).isTrue();
        elsewhere(() -> LeaseContext.ofCurrentThread().detach(lease));
    }

    @Test
    void afterAnUnlockTheSameLeaseHasAnotherTokenAndAnotherLease() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        unlock(a, lock(a, name, leaseId));
        Lease before = recorder.last().lease();

        ByteSequence key = lock(a, name, leaseId);

        assertThat(here()).containsExactly(recorder.last().lease()).doesNotContain(before);
        assertThat(here().get(0).token()).isGreaterThan(before.token());
        unlock(a, key);
    }

    @Test
    void aKeyThatWasMadeAnewWithTheSameLeaseIsAnotherHold() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        ByteSequence key = lock(a, name, leaseId);
        Lease before = here().get(0);
        b.getKVClient().delete(key).get(20, TimeUnit.SECONDS);

        lock(a, name, leaseId);

        assertThat(before.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.last().lease()).isNotSameAs(before);
        assertThat(recorder.last().lease().token()).isGreaterThan(before.token());
        assertThat(recorder.last().lease().death()).isNull();
        unlock(a, key);
        assertThat(here()).isEmpty();
    }

    @Test
    void revokingALeaseEndsAllThatBelongsToIt() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        lock(a, name, leaseId);
        lock(a, name + "-too", leaseId);
        List<Lease> both = here();
        assertThat(both).hasSize(2);

        revoke(a, leaseId);

        assertThat(here()).isEmpty();
        assertThat(both).allMatch(Lease::released).allMatch(lease -> lease.death() == null);
    }

    /** The way to try a lock that jetcd has: the place in the line stays. */
    @Test
    void whoDidNotWaitAnyLongerHasNoLeaseUntilTheFutureIsAskedAgain() throws Exception {
        ByteSequence first = elsewhere(() -> lock(a, name, grant(a, LONG)));
        long waiter = grantKeptAlive(b, LONG);
        CompletableFuture<LockResponse> waiting = b.getLockClient().lock(bytes(name), waiter);
        assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

        elsewhere(() -> {
            unlock(a, first);
            return null;
        });
        await().until(waiting::isDone);
        assertThat(here()).isEmpty();
        assertThat(recorder.begun).hasSize(1);

        ByteSequence key = waiting.get(1, TimeUnit.SECONDS).getKey();

        assertThat(here()).hasSize(1);
        assertThat(here().get(0).death()).isNull();
        unlock(b, key);
        assertThat(here()).isEmpty();
    }

    @Test
    void whoeverElseWaitsInVainTakesNoLeaseFromTheCaller() throws Exception {
        ByteSequence first = elsewhere(() -> lock(a, name, grant(a, LONG)));
        CompletableFuture<LockResponse> waiting = b.getLockClient().lock(bytes(name), grantKeptAlive(b, LONG));
        elsewhere(() -> assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class));

        elsewhere(() -> {
            unlock(a, first);
            return null;
        });

        await().until(waiting::isDone);
        assertThat(here()).containsExactly(recorder.last().lease());
        unlock(b, waiting.join().getKey());
    }

    @Test
    void whoeverWaitsInVainForWorkThatHasTheLockKeepsTheLease() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<LockResponse> acquired = a.getLockClient().lock(bytes(name), grantKeptAlive(a, LONG));
        CompletableFuture<Boolean> work = acquired.thenApplyAsync(response -> {
            try {
                return end.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(acquired::isDone);

        assertThatThrownBy(() -> work.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

        assertThat(here()).containsExactly(recorder.last().lease());
        end.countDown();
        assertThat(work.get(20, TimeUnit.SECONDS)).isTrue();
        unlock(a, acquired.join().getKey());
    }

    @Test
    void whatIsChainedRunsUnderTheLeaseWhateverThreadItRunsOn() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);

        List<Lease> under = elsewhere(() -> a.getLockClient()
                .lock(bytes(name), leaseId)
                .thenApplyAsync(response -> {
                    List<Lease> leases = here();
                    a.getLockClient().unlock(response.getKey()).join();
                    assertThat(here()).isEmpty();
                    return leases;
                })
                .get(20, TimeUnit.SECONDS));

        assertThat(under).hasSize(1);
        assertThat(under.get(0).released()).isTrue();
        assertThat(elsewhere(EtcdTestBase::here)).isEmpty();
    }

    @Test
    void whoeverIsToldOnAnotherThreadHasTheLeaseToo() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        CompletableFuture<LockResponse> acquired = a.getLockClient().lock(bytes(name), leaseId);

        List<Lease> others = elsewhere(() -> {
            acquired.join();
            return here();
        });

        assertThat(others).hasSize(1).isEqualTo(here());
        assertThat(recorder.begun).hasSize(1);
        assertThat(recorder.unsupported).isEmpty();
        elsewhere(() -> {
            unlock(b, acquired.join().getKey());
            return LeaseContext.ofCurrentThread().detach(others.get(0));
        });
        assertThat(here()).isEmpty();
    }

    @Test
    void aLeaseThatIsKeptAliveByHandIsProlonged() throws Exception {
        long leaseId = grant(a, 3);
        ByteSequence key = lock(a, name, leaseId);
        Lease lease = here().get(0);
        long first = lease.deadline().at();

        await().pollInterval(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(20))
                .until(() -> {
                    a.getLeaseClient().keepAliveOnce(leaseId).get(10, TimeUnit.SECONDS);
                    return System.nanoTime() - first > 0;
                });

        assertThat(lease.death()).isNull();
        unlock(a, key);
        revoke(a, leaseId);
    }

    @Test
    void aLeaseThatNobodyKeepsAliveEndsAtItsTimeAndIsNeverCalledProlonged() throws Exception {
        long began = System.nanoTime();
        long leaseId = grant(a, 3);
        long granted = System.nanoTime();
        ByteSequence key = lock(a, name, leaseId);
        Lease lease = here().get(0);
        assertThat(recorder.last().acquisition().explicitLease()).isTrue();

        await().atMost(Duration.ofSeconds(10)).until(() -> lease.death() != null);

        // Of a grant that was seen no second is rounded away.
        assertThat(lease.deadline().at() - began)
                .isGreaterThan(Duration.ofMillis(2_900).toNanos());
        assertThat(lease.deadline().at() - granted)
                .isLessThan(Duration.ofSeconds(3).toNanos());
        assertThat(recorder.count("renewed")).isZero();
        unlock(a, key);
        assertThat(here()).isEmpty();
    }

    @Test
    void whereJetcdIsToldThatTheLeaseIsGoneTheServiceMaySkipTheUnlock() throws Exception {
        long leaseId = grantKeptAlive(a, 3);
        lock(a, name, leaseId);
        Lease lease = here().get(0);

        kind.server().revoke(leaseId);

        await().atMost(Duration.ofSeconds(10)).until(() -> recorder.count("told") > 0);
        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(lease.released()).isFalse();
    }

    @Test
    void aPutThatTakesTheKeyFromItsLeaseEndsTheHold() throws Exception {
        long leaseId = grantKeptAlive(a, 6);
        ByteSequence key = lock(a, name, leaseId);
        Lease lease = here().get(0);

        b.getKVClient().put(key, bytes("an administrator's")).get(20, TimeUnit.SECONDS);

        await().atMost(Duration.ofSeconds(6)).until(() -> lease.death() == Lease.Death.LOST);
        unlock(a, key);
    }
}
