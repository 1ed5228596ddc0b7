/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

@Timeout(120)
class TokenTest extends WithRedisson {
    @Test
    void aThousandChangesOfOwnerGiveTokensInTheirOrder() throws Exception {
        String name = fresh();
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Future<?>> workers = new ArrayList<>();
        List<RedissonClient> clients = List.of(redisson, client(config -> {}));
        for (int i = 0; i < 4; i++) {
            RLock lock = clients.get(i % 2).getLock(name);
            workers.add(start(() -> {
                for (int n = 0; n < 250; n++) {
                    lock.lock();
                    try {
                        assertThat(here()).hasSize(1);
                        tokens.add(here().get(0).token());
                    } finally {
                        lock.unlock();
                    }
                }
                return null;
            }));
        }
        for (Future<?> worker : workers) {
            worker.get(60, TimeUnit.SECONDS);
        }

        assertThat(tokens).hasSize(1_000).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void tokensGoOnGrowingWhenTheCounterIsLost() {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        long last = 0;
        for (int i = 0; i < 10; i++) {
            lock.lock();
            assertThat(here().get(0).token()).isGreaterThan(last);
            last = here().get(0).token();
            lock.unlock();
            RedisServers.command("DEL", counter(name));
        }
    }

    @Test
    void theCounterHasATimeToLiveOfDays() {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock();
        lock.unlock();

        assertThat(pttl(counter(name))).isBetween(TimeUnit.DAYS.toMillis(6), TimeUnit.DAYS.toMillis(7));
    }

    @Test
    void aCounterAheadOfTheClockIsCountedUpExactlyBeyondTheNumbersOfLua() {
        String name = fresh();
        RedisServers.command("SET", counter(name), "9007199254740993");
        RLock lock = redisson.getLock(name);

        lock.lock();
        long token = here().get(0).token();
        lock.unlock();

        assertThat(token).isEqualTo(9_007_199_254_740_994L);
        assertThat(RedisServers.command("GET", counter(name))).isEqualTo("9007199254740994");
        assertThat(pttl(counter(name))).isPositive();
    }

    @Test
    void theLastTokenIsIssuedAndAfterItTheFailureSaysWhatToDo() {
        String name = fresh();
        RedisServers.command("SET", counter(name), Long.toString(Long.MAX_VALUE - 1));
        RLock lock = redisson.getLock(name);

        lock.lock();
        assertThat(here().get(0).token()).isEqualTo(Long.MAX_VALUE);
        lock.unlock();
        lock.lock();

        assertThat(recorder.last().acquisition().proof()).isNull();
        assertThat(recorder.last().acquisition().failure())
                .contains("64 bits")
                .contains("generation")
                .contains(counter(name));
        assertThat(here().get(0).death()).isEqualTo(Lease.Death.UNUSABLE);
        lock.unlock();
        assertThat(RedisServers.command("EXISTS", name)).isEqualTo("0");
    }

    @Test
    void aCounterThatSomebodyElseWroteIsNotCountedUp() {
        String name = fresh();
        RedisServers.command("SET", counter(name), "abc");
        RLock lock = redisson.getLock(name);

        lock.lock();

        assertThat(recorder.last().acquisition().failure()).contains("no token").contains(counter(name));
        assertThat(RedisServers.command("GET", counter(name))).isEqualTo("abc");
        lock.unlock();
    }

    @Test
    void theCounterIsInTheLocksSlot() {
        String name = "{" + fresh() + "}:part";
        RLock lock = redisson.getLock(name);
        lock.lock();
        lock.unlock();

        assertThat(RedisServers.command("EXISTS", "lockfence:token:" + name)).isEqualTo("1");
    }

    @Test
    void whoHoldsTheLockCanRaiseItsTokenAndTheNextOwnerIsAboveIt() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        Coordinator coordinator = recorder.last().acquisition().coordinator();
        long far = here().get(0).token() + 1_000_000_000_000L;

        Proof raised = coordinator.raiseAbove(far).toCompletableFuture().get(5, TimeUnit.SECONDS);

        assertThat(raised.held()).isTrue();
        assertThat(raised.token()).isEqualTo(far + 1);
        lock.unlock();
        lock.lock();
        assertThat(here().get(0).token()).isEqualTo(far + 2);
        lock.unlock();
    }

    @Test
    void whoHoldsNothingGetsNoTokenAndNoTimeLeft() throws Exception {
        RLock lock = redisson.getLock(fresh());
        lock.lock(20, TimeUnit.SECONDS);
        Coordinator coordinator = recorder.last().acquisition().coordinator();
        assertThat(coordinator
                        .ask()
                        .toCompletableFuture()
                        .get(5, TimeUnit.SECONDS)
                        .holdCount())
                .isEqualTo(1);
        lock.unlock();

        assertThat(coordinator
                        .ask()
                        .toCompletableFuture()
                        .get(5, TimeUnit.SECONDS)
                        .held())
                .isFalse();
        assertThat(coordinator
                        .raiseAbove(5)
                        .toCompletableFuture()
                        .get(5, TimeUnit.SECONDS)
                        .held())
                .isFalse();
    }

    @Test
    void askingIssuesNoToken() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);

        Proof asked = recorder.last()
                .acquisition()
                .coordinator()
                .ask()
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS);

        assertThat(asked.token()).isZero();
        assertThat(asked.timeLeftNanos()).isBetween(TimeUnit.SECONDS.toNanos(18), TimeUnit.SECONDS.toNanos(20));
        assertThat(RedisServers.command("GET", counter(name)))
                .isEqualTo(Long.toString(here().get(0).token()));
        lock.unlock();
    }
}
