/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.it.locks.Recorder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;

@Timeout(60)
class RenewalTest extends WithRedisson {
    @Test
    void theWatchdogsRenewalsAreSeenAndMoveTheDeadline() {
        RLock lock = redisson.getLock(fresh());
        lock.lock();
        Lease lease = here().get(0);
        long first = lease.deadline().at();

        await().atMost(20, TimeUnit.SECONDS).until(() -> recorder.count("renewed") >= 4);

        assertThat(lease.deadline().at()).isGreaterThan(first);
        assertThat(lease.death()).isNull();
        assertThat(recorder.of("renewed")).allSatisfy(renewal -> {
            assertThat(renewal.owner()).isEqualTo(lease.owner());
            assertThat(renewal.nanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(WATCHDOG_MILLIS));
        });
        assertThat(recorder.degraded).as("the server was not asked instead").isEmpty();
        lock.unlock();
    }

    @Test
    void oneRenewalOfManyLocksIsSeenForEach() {
        List<RLock> locks = List.of(redisson.getLock(fresh()), redisson.getLock(fresh()), redisson.getLock(fresh()));
        locks.forEach(RLock::lock);
        List<Lease> leases = here();
        assertThat(leases).hasSize(3);

        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(recorder.of("renewed"))
                        .extracting(Recorder.Event::owner)
                        .containsAll(leases.stream().map(Lease::owner).toList()));

        locks.forEach(RLock::unlock);
    }

    @Test
    void aHoldThatRedisForgotIsLostAtTheNextRenewal() {
        RLock lock = redisson.getLock(fresh());
        lock.lock();
        Lease lease = here().get(0);

        RedisServers.command("FLUSHALL");

        await().atMost(15, TimeUnit.SECONDS).until(() -> lease.death() == Lease.Death.LOST);
        assertThat(recorder.of("lost"))
                .singleElement()
                .satisfies(lost -> assertThat(lost.why()).contains("watchdog"));
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void anUnlockThatFindsNothingIsEvidenceOfLoss() {
        RLock lock = redisson.getLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);
        RedisServers.command("FLUSHALL");

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);

        assertThat(recorder.of("lost"))
                .singleElement()
                .satisfies(lost -> assertThat(lost.owner()).isEqualTo(lease.owner()));
        assertThat(lease.released()).isTrue();
    }

    @Test
    void aServiceThatAsksAndIsToldOfTheLossMaySkipItsUnlock() {
        RLock lock = redisson.getLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(recorder.of("told")).isEmpty();
        RedisServers.command("FLUSHALL");

        assertThat(lock.isHeldByCurrentThread()).isFalse();

        assertThat(recorder.of("told"))
                .singleElement()
                .satisfies(told -> assertThat(told.owner()).isEqualTo(lease.owner()));
        LeaseContext.ofCurrentThread().detach(lease);
    }

    @Test
    void aHoldThatWasLostAndTakenAgainIsAFreshOne() {
        RLock lock = redisson.getLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease old = here().get(0);
        RedisServers.command("FLUSHALL");

        lock.lock(20, TimeUnit.SECONDS);

        assertThat(recorder.last().acquisition().proof().holdCount()).isEqualTo(1);
        assertThat(recorder.last().lease().token()).isGreaterThan(old.token());
        assertThat(old.death()).isEqualTo(Lease.Death.LOST);
        lock.unlock();
    }

    @Test
    void anAttemptThatFindsAnotherOwnerIsEvidenceOfLoss() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);
        RedisServers.command("DEL", name);
        elsewhere(() -> redisson.getLock(name).tryLock(0, 20, TimeUnit.SECONDS));

        assertThat(lock.tryLock()).isFalse();

        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
    }

    @Test
    void aPartialUnlockShortensTheLeaseToWhatRedisSets() {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);
        lock.lock(3, TimeUnit.SECONDS);

        lock.unlock();

        assertThat(here()).containsExactly(lease);
        long redis = pttl(name);
        assertThat(redis).isLessThanOrEqualTo(3_000);
        assertThat(leftMillis(lease)).isLessThanOrEqualTo(redis);
        lock.unlock();
        assertThat(lease.released()).isTrue();
    }

    @Test
    void aPartialUnlockTakesTheNewTimeLeftFromRedis() {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);
        // Another object of the same lock: it unlocks with its own lease time, the watchdog's.
        redisson.getLock(name).lock(20, TimeUnit.SECONDS);
        redisson.getLock(name).unlock();

        await().atMost(15, TimeUnit.SECONDS).until(() -> recorder.count("renewed") >= 1);

        long redis = pttl(name);
        assertThat(redis).isLessThanOrEqualTo(WATCHDOG_MILLIS);
        assertThat(leftMillis(lease)).isLessThanOrEqualTo(redis);
        assertThat(lease.death()).isNull();
        lock.unlock();
    }

    @Test
    void aForcedUnlockTakesTheLeaseFromItsHolder() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);

        assertThat(elsewhere(() -> redisson.getLock(name).forceUnlock())).isTrue();

        await().atMost(15, TimeUnit.SECONDS).until(() -> lease.death() == Lease.Death.LOST);
    }

    @Test
    void aDeletedLockTakesTheLeaseFromItsHolder() throws Exception {
        for (RLock lock : List.of(redisson.getLock(fresh()), redisson.getFairLock(fresh()))) {
            lock.lock(20, TimeUnit.SECONDS);
            Lease lease = recorder.last().lease();

            assertThat(elsewhere(lock::forceUnlock)).isTrue();

            await().atMost(15, TimeUnit.SECONDS).until(() -> lease.death() == Lease.Death.LOST);
        }
    }

    @Test
    void theMembersOfAMultiLockHaveLeasesThatEndWhenRedisDropsThem() throws Exception {
        String one = fresh();
        String two = fresh();
        // The members are locked for twice the waiting time and then set to the lease time.
        RedissonMultiLock multi = new RedissonMultiLock(redisson.getLock(one), redisson.getLock(two));

        assertThat(multi.tryLock(5, 3, TimeUnit.SECONDS)).isTrue();

        assertThat(here())
                .hasSize(2)
                .allSatisfy(lease -> assertThat(leftMillis(lease)).isLessThanOrEqualTo(3_000));
        assertThat(here()).extracting(Lease::lock).containsExactlyInAnyOrder(one, two);
        multi.unlock();
        assertThat(here()).isEmpty();
    }
}
