/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

@Timeout(60)
class AsyncTest extends WithRedisson {
    private record Seen(Thread thread, List<Lease> leases) {
        static Seen now() {
            return new Seen(Thread.currentThread(), here());
        }
    }

    @Test
    void theLeaseIsOnTheCallersThreadWhenTheFutureCompletes() {
        RLock lock = redisson.getLock(fresh());

        lock.lockAsync().toCompletableFuture().join();

        assertThat(here()).hasSize(1);
        assertThat(recorder.last().acquisition().ownsThread()).isTrue();
        assertThat(recorder.last().acquisition().explicitLease()).isFalse();
        lock.unlock();
        assertThat(here()).isEmpty();
    }

    @Test
    void everyAsynchronousMethodBeginsOneLease() {
        RLock lock = redisson.getLock(fresh());
        record Way(String name, Supplier<CompletionStage<?>> call, boolean explicit) {}
        for (Way way : new Way[] {
            new Way("lockAsync()", lock::lockAsync, false),
            new Way("lockAsync(10 s)", () -> lock.lockAsync(10, TimeUnit.SECONDS), true),
            new Way("tryLockAsync()", lock::tryLockAsync, false),
            new Way("tryLockAsync(1 s)", () -> lock.tryLockAsync(1, TimeUnit.SECONDS), false),
            new Way("tryLockAsync(1 s, 10 s)", () -> lock.tryLockAsync(1, 10, TimeUnit.SECONDS), true)
        }) {
            int before = recorder.begun.size();

            way.call.get().toCompletableFuture().join();

            assertThat(recorder.begun).as(way.name).hasSize(before + 1);
            assertThat(here()).as(way.name).containsExactly(recorder.last().lease());
            assertThat(recorder.last().acquisition().explicitLease())
                    .as(way.name)
                    .isEqualTo(way.explicit);
            lock.unlockAsync().toCompletableFuture().join();
            assertThat(here()).as(way.name).isEmpty();
        }
        assertThat(recorder.degraded).isEmpty();
    }

    @Test
    void anOwnerThatIsNoThreadPutsItsLeaseOnTheCallersThread() {
        RLock lock = redisson.getLock(fresh());

        lock.lockAsync(4242).toCompletableFuture().join();

        assertThat(here()).hasSize(1);
        assertThat(recorder.last().acquisition().owner()).endsWith(":4242");
        assertThat(recorder.last().acquisition().ownsThread()).isFalse();
        lock.unlockAsync(4242).toCompletableFuture().join();
        assertThat(here()).isEmpty();
    }

    @Test
    void whatIsChainedToTheFutureRunsUnderTheLeaseOnWhateverThreadCompletesIt() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        elsewhere(() ->
                redisson.getLock(name).tryLockAsync(7).toCompletableFuture().get());
        CompletableFuture<Seen> chained =
                lock.lockAsync(4242).toCompletableFuture().thenApply(nothing -> Seen.now());

        lock.unlockAsync(7).toCompletableFuture().join();
        Seen seen = chained.get(10, TimeUnit.SECONDS);

        assertThat(seen.thread).isNotSameAs(Thread.currentThread());
        assertThat(seen.leases).containsExactly(recorder.last().lease());
        assertThat(here()).containsExactly(recorder.last().lease());
        await().atMost(5, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(LeaseContext.threads())
                        .as("threads that hold the lease afterwards")
                        .isEqualTo(1));
        lock.unlockAsync(4242).toCompletableFuture().join();
    }

    @Test
    void reactiveAndRxCallsAreFenced() {
        String name = fresh();

        redisson.reactive().getLock(name).lock(4242).block(Duration.ofSeconds(10));
        assertThat(here()).containsExactly(recorder.last().lease());
        redisson.reactive().getLock(name).unlock(4242).block(Duration.ofSeconds(10));
        assertThat(here()).isEmpty();

        redisson.rxJava().getLock(name).lock(4243).blockingAwait();
        assertThat(here()).containsExactly(recorder.last().lease());
        redisson.rxJava().getLock(name).unlock(4243).blockingAwait();
        assertThat(here()).isEmpty();
    }

    @Test
    void aLongChainRunsUnderTheLeaseUntilItGivesTheLockBack() throws Exception {
        RLock lock = redisson.getLock(fresh());

        CompletableFuture<List<List<Lease>>> chain = lock.lockAsync(4242)
                .thenApply(nothing -> here())
                .thenApplyAsync(first -> List.of(first, here()))
                .thenCompose(seen -> lock.unlockAsync(4242).thenApply(nothing -> seen))
                .thenApplyAsync(seen -> List.of(seen.get(0), seen.get(1), here()))
                .toCompletableFuture();

        List<List<Lease>> seen = chain.get(10, TimeUnit.SECONDS);
        assertThat(seen.get(0)).containsExactly(recorder.last().lease());
        assertThat(seen.get(1)).containsExactly(recorder.last().lease());
        assertThat(seen.get(2)).isEmpty();
        assertThat(here()).isEmpty();
    }

    @Test
    void aFailureIsPassedOnAsItIs() {
        RedissonClient gone = client(config -> {});
        RLock lock = gone.getLock(fresh());
        gone.shutdown(0, 1, TimeUnit.SECONDS);

        assertThatThrownBy(() -> lock.lockAsync(4242).toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isInstanceOf(Exception.class);

        assertThat(recorder.begun).isEmpty();
    }

    @Test
    void aWaitingCallRemembersItsThread() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        elsewhere(() -> {
            redisson.getLock(name).lock();
            return null;
        });
        long holder = Long.parseLong(recorder.last().acquisition().owner().replaceAll(".*:", ""));

        CompletableFuture<Void> waiting = lock.lockAsync().toCompletableFuture();
        assertThat(waiting).isNotDone();
        assertThat(here()).isEmpty();
        redisson.getLock(name).unlockAsync(holder).toCompletableFuture().join();
        waiting.get(10, TimeUnit.SECONDS);

        assertThat(here()).containsExactly(recorder.last().lease());
        assertThat(recorder.last().acquisition().ownsThread()).isTrue();
        lock.unlock();
    }

    @Test
    void theMembersOfAMultiLockPutTheirLeasesOnOneThread() {
        membersPutTheirLeasesOnThisThread();
        recorder.claimsAtAcquire = true;
        membersPutTheirLeasesOnThisThread();
    }

    private void membersPutTheirLeasesOnThisThread() {
        RedissonMultiLock multi = new RedissonMultiLock(redisson.getLock(fresh()), redisson.getLock(fresh()));

        multi.lockAsync(10, TimeUnit.SECONDS, Thread.currentThread().getId())
                .toCompletableFuture()
                .join();

        assertThat(here()).hasSize(2);
        multi.unlock();
        assertThat(here()).isEmpty();
    }

    @Test
    void aCallThatNeverAcquiresLeavesNothing() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);

        boolean acquired = elsewhere(() -> redisson.getLock(name)
                .tryLockAsync(100, 1_000, TimeUnit.MILLISECONDS, 7)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS));

        assertThat(acquired).isFalse();
        lock.unlock();
        await().atMost(5, TimeUnit.SECONDS).until(() -> LeaseContext.active() == 0);
    }

    @Test
    void aCancelledCallThatAcquiresLaterGivesTheLockBack() throws Exception {
        String name = fresh();
        RLock lock = redisson.getLock(name);
        lock.lock(20, TimeUnit.SECONDS);
        CompletableFuture<Void> waiting =
                elsewhere(() -> redisson.getLock(name).lockAsync(7).toCompletableFuture());

        waiting.cancel(true);
        lock.unlock();

        await().atMost(10, TimeUnit.SECONDS)
                .until(() -> RedisServers.command("EXISTS", name).equals("0"));
        await().atMost(5, TimeUnit.SECONDS).until(() -> LeaseContext.active() == 0);
        assertThat(here()).isEmpty();
    }

    @Test
    void claimsAtAcquireBlockNoThreadOfRedissons() {
        recorder.claimsAtAcquire = true;
        RLock lock = redisson.getLock(fresh());

        ClassLoader seen = lock.lockAsync(4242)
                .thenApply(nothing -> Thread.currentThread().getContextClassLoader())
                .toCompletableFuture()
                .join();

        assertThat(recorder.last().thread().getName()).startsWith("lockfence-worker-");
        assertThat(seen).as("context class loader of what is chained").isNotNull();
        assertThat(here()).hasSize(1);
        lock.unlockAsync(4242).toCompletableFuture().join();
    }

    @Test
    void anEventLoopThatLocksForAnotherOwnerTakesNoLease() throws Exception {
        RLock lock = redisson.getLock(fresh());
        CompletableFuture<List<Lease>> leases = new CompletableFuture<>();

        new FastThreadLocalThread(() -> {
                    lock.lockAsync(4242).toCompletableFuture().join();
                    leases.complete(here());
                })
                .start();

        assertThat(leases.get(10, TimeUnit.SECONDS)).isEmpty();
        assertThat(recorder.last().acquisition().context()).isNull();
        assertThat(recorder.last().lease().token()).isPositive();
        lock.unlockAsync(4242).toCompletableFuture().join();
    }
}
