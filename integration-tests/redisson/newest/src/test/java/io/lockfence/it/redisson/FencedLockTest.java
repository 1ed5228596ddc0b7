/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.api.RExpirable;
import org.redisson.api.RFencedLock;
import org.redisson.api.RObject;

/** {@code RFencedLock} came with 3.19.0. */
@Timeout(60)
class FencedLockTest extends WithRedisson {
    private static String ownCounter(String lock) {
        return "redisson_lock_token:{" + lock + "}";
    }

    @Test
    void theLeasesTokenIsTheOneThatTheServiceSees() {
        String name = fresh();
        RFencedLock lock = redisson.getFencedLock(name);

        Long token = lock.lockAndGetToken();

        assertThat(here()).hasSize(1);
        assertThat(here().get(0).token()).isEqualTo(token).isEqualTo(1);
        lock.unlock();
        assertThat(here()).isEmpty();
        assertThat(RedisServers.command("EXISTS", counter(name))).isEqualTo("0");
    }

    @Test
    void everyMethodBeginsOneLease() throws Exception {
        RFencedLock lock = redisson.getFencedLock(fresh());
        record Way(String name, java.util.concurrent.Callable<?> call) {}
        long last = 0;
        for (Way way : new Way[] {
            new Way("lockAndGetToken()", lock::lockAndGetToken),
            new Way("lockAndGetToken(10 s)", () -> lock.lockAndGetToken(10, TimeUnit.SECONDS)),
            new Way("tryLockAndGetToken()", () -> lock.tryLockAndGetToken(0, TimeUnit.SECONDS)),
            new Way("tryLockAndGetToken(1 s, 10 s)", () -> lock.tryLockAndGetToken(1, 10, TimeUnit.SECONDS)),
            new Way(
                    "lockAndGetTokenAsync()",
                    () -> lock.lockAndGetTokenAsync().toCompletableFuture().get()),
            new Way("tryLock()", lock::tryLock),
            new Way("lockAsync()", () -> lock.lockAsync().toCompletableFuture().get())
        }) {
            int before = recorder.begun.size();

            way.call.call();

            assertThat(recorder.begun).as(way.name).hasSize(before + 1);
            assertThat(here()).as(way.name).containsExactly(recorder.last().lease());
            assertThat(here().get(0).token()).as(way.name).isGreaterThan(last);
            last = here().get(0).token();
            lock.unlock();
            assertThat(here()).as(way.name).isEmpty();
        }
        assertThat(recorder.degraded).isEmpty();
    }

    @Test
    void aLeaseTimeThatRedissonIgnoresIsIgnored() {
        String name = fresh();
        RFencedLock lock = redisson.getFencedLock(name);

        lock.lockAndGetToken(200, TimeUnit.MILLISECONDS);

        assertThat(leftMillis(here().get(0))).isGreaterThan(500);
        assertThat(recorder.last().acquisition().explicitLease()).isFalse();
        await().atMost(15, TimeUnit.SECONDS).until(() -> recorder.count("renewed") >= 1);
        lock.unlock();
    }

    @Test
    void aTokenThatDoesNotComeIsNoLease() throws Exception {
        String name = fresh();
        RFencedLock lock = redisson.getFencedLock(name);
        lock.lock(20, TimeUnit.SECONDS);

        Long token = elsewhere(() -> redisson.getFencedLock(name).tryLockAndGetToken(0, TimeUnit.MILLISECONDS));

        assertThat(token).isNull();
        assertThat(recorder.begun).hasSize(1);
        lock.unlock();
    }

    @Test
    void reEntryKeepsTheLeasesTokenThoughRedissonCountsOn() {
        RFencedLock lock = redisson.getFencedLock(fresh());
        lock.lock();
        Lease lease = here().get(0);
        lock.lock();

        assertThat(lock.getToken()).isEqualTo(2);
        assertThat(here()).containsExactly(lease);
        assertThat(lease.token()).isEqualTo(1);
        lock.unlock();
        lock.unlock();
        lock.lock();
        assertThat(here().get(0).token()).isEqualTo(3);
        lock.unlock();
    }

    @Test
    void raisingSetsRedissonsOwnCounter() throws Exception {
        String name = fresh();
        RFencedLock lock = redisson.getFencedLock(name);
        lock.lock(20, TimeUnit.SECONDS);

        Proof raised = recorder.last()
                .acquisition()
                .coordinator()
                .raiseAbove(9_007_199_254_740_993L)
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS);

        assertThat(raised.token()).isEqualTo(9_007_199_254_740_994L);
        assertThat(RedisServers.command("GET", ownCounter(name))).isEqualTo("9007199254740994");
        lock.unlock();
        // Redisson's own script rounds what it returns beyond 2^53; ours does not.
        lock.lock();
        assertThat(here().get(0).token()).isEqualTo(9_007_199_254_740_995L);
        lock.unlock();
    }

    @Test
    void deletionTakesTheLeaseFromItsHolder() throws Exception {
        RFencedLock lock = redisson.getFencedLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);

        assertThat(elsewhere(((RObject) lock)::delete)).isTrue();

        await().atMost(15, TimeUnit.SECONDS).until(() -> lease.death() == Lease.Death.LOST);
    }

    @Test
    void expiryMovesTheDeadlineBack() throws Exception {
        RFencedLock lock = redisson.getFencedLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Lease lease = here().get(0);

        elsewhere(() -> ((RExpirable) lock)
                .expireAsync(java.time.Duration.ofSeconds(3))
                .toCompletableFuture()
                .get());

        assertThat(leftMillis(lease)).isLessThanOrEqualTo(3_000);
        assertThat(lease.death()).isNull();
        lock.unlock();
    }
}
