/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Lease;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

@Timeout(60)
class FailureTest extends WithRedisson {
    @Test
    void aUserWithoutTheRightToTheCounterStillGetsTheLockAndTheFailureSaysWhatToAllow() {
        RedissonClient limited = client(config -> config.useSingleServer()
                .setAddress(RedisServers.address().replace("redis://", "redis://limited:secret@")));
        String name = fresh();
        RLock lock = limited.getLock(name);

        lock.lock();

        assertThat(RedisServers.command("EXISTS", name)).isEqualTo("1");
        assertThat(recorder.last().acquisition().proof()).isNull();
        assertThat(recorder.last().acquisition().failure()).contains("lockfence:token:*");
        assertThat(here().get(0).death()).isEqualTo(Lease.Death.UNUSABLE);
        lock.unlock();
        assertThat(RedisServers.command("EXISTS", name)).isEqualTo("0");
        assertThat(here()).isEmpty();
    }

    @Test
    void aTokenThatDoesNotComeWithinTwoSecondsLeavesTheLockAcquired() {
        recorder.beforeMint = () -> {
            recorder.beforeMint = () -> {};
            RedisServers.command("CLIENT", "PAUSE", "4500");
        };
        RLock lock = redisson.getLock(fresh());
        long began = System.nanoTime();

        lock.lock(30, TimeUnit.SECONDS);

        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(1_900), Duration.ofMillis(4_300));
        assertThat(recorder.last().acquisition().failure()).contains("2000 ms");
        lock.unlock();
    }

    @Test
    void typesThatAreNotFencedAreReported() {
        String spin = fresh();
        String readWrite = fresh();
        RLock spinLock = redisson.getSpinLock(spin);
        spinLock.lock();
        spinLock.unlock();
        RLock write = redisson.getReadWriteLock(readWrite).writeLock();
        write.lock();
        write.unlock();
        RLock read = redisson.getReadWriteLock(readWrite).readLock();
        read.lockAsync().toCompletableFuture().join();
        read.unlock();

        assertThat(recorder.unsupported)
                .contains(
                        "RedissonSpinLock " + spin, "RedissonWriteLock " + readWrite, "RedissonReadLock " + readWrite);
        assertThat(recorder.begun).isEmpty();
        assertThat(here()).isEmpty();
    }

    @Test
    @SuppressWarnings("deprecation")
    void theMembersOfARedLockAreReportedAndGetNoLeases() {
        String name = fresh();
        RLock lock = new RedissonRedLock(redisson.getLock(name), redisson.getLock(fresh()));

        assertThat(lock.tryLock()).isTrue();

        assertThat(recorder.unsupported).contains("RedissonRedLock " + name);
        assertThat(here()).isEmpty();
        lock.unlock();
    }
}
