/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;

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
        record Way(
                String name,
                java.util.function.Supplier<java.util.concurrent.CompletionStage<?>> call,
                boolean explicit) {}
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
    void whatIsChainedToTheFutureRunsUnderTheLeaseWhereverItRuns() throws Exception {
        RLock lock = redisson.getLock(fresh());
        // Holds the mint back until the continuation is chained, so that it runs on the completing thread.
        CountDownLatch chained = new CountDownLatch(1);
        recorder.beforeMint = () -> {
            if (Thread.currentThread().getName().startsWith("redisson-netty")) {
                awaitLatch(chained);
            }
        };

        CompletableFuture<Seen> seen =
                lock.lockAsync(4242).toCompletableFuture().thenApply(nothing -> Seen.now());
        chained.countDown();
        Seen continuation = seen.get(10, TimeUnit.SECONDS);

        assertThat(continuation.leases).containsExactly(recorder.last().lease());
        if (continuation.thread != Thread.currentThread()) {
            CompletableFuture<List<Lease>> later = new CompletableFuture<>();
            AtomicReference<Thread> sameThread = new AtomicReference<>();
            await().atMost(10, TimeUnit.SECONDS).until(() -> {
                redisson.getBucket("any").isExistsAsync().whenComplete((found, failure) -> {
                    if (Thread.currentThread() == continuation.thread) {
                        sameThread.set(Thread.currentThread());
                        later.complete(here());
                    }
                });
                return later.isDone();
            });
            assertThat(later.join()).as("leases on the thread afterwards").isEmpty();
        }
        lock.unlockAsync(4242).toCompletableFuture().join();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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

        lock.lockAsync(4242).toCompletableFuture().join();

        assertThat(recorder.last().thread().getName()).startsWith("lockfence-redisson-");
        assertThat(here()).hasSize(1);
        lock.unlockAsync(4242).toCompletableFuture().join();
    }

    @Test
    void anEventLoopThatLocksForAnotherOwnerTakesNoLease() {
        RLock lock = redisson.getLock(fresh());

        // Somewhere on Redisson's own threads: the future below completes there.
        redisson.getBucket("any")
                .isExistsAsync()
                .thenCompose(found -> lock.lockAsync(4242))
                .toCompletableFuture()
                .join();

        boolean onEventLoop = recorder.last().acquisition().context() == null;
        assertThat(here()).hasSize(onEventLoop ? 0 : 1);
        lock.unlockAsync(4242).toCompletableFuture().join();
    }
}
