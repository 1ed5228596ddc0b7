/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import io.lockfence.bootstrap.LeaseContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A task is given to a pool of threads, and taken out of its queue again: what a submission and a beginning cost, without the way from thread to
 * thread, which takes microseconds. Bounds (DESIGN §6): no lease, 5 ns more than bare, and no allocation.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = WovenCall.AGENT)
public class Submission {
    /** A pool whose only thread is busy. */
    @State(Scope.Thread)
    public static class Pool {
        private final CountDownLatch busy = new CountDownLatch(1);
        private final Runnable task = () -> {};
        ThreadPoolExecutor pool;

        @Setup
        public void open() throws Exception {
            pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
            CountDownLatch running = new CountDownLatch(1);
            pool.execute(() -> {
                running.countDown();
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            running.await();
        }

        boolean submit() {
            pool.execute(task);
            return pool.remove(task);
        }

        @TearDown
        public void close() {
            busy.countDown();
            pool.shutdown();
        }
    }

    /** A lease on another thread. */
    @State(Scope.Thread)
    public static class Elsewhere {
        private final CountDownLatch done = new CountDownLatch(1);

        @Setup
        public void take() throws Exception {
            CountDownLatch taken = new CountDownLatch(1);
            Thread holder = new Thread(() -> {
                Lock.take("elsewhere");
                taken.countDown();
                try {
                    done.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            holder.start();
            taken.await();
        }

        @TearDown
        public void end() {
            done.countDown();
        }
    }

    /** A lease on this thread. */
    @State(Scope.Thread)
    public static class Holder {
        @Setup
        public void take() {
            Lock.take("here");
            if (LeaseContext.current().length != 1) {
                throw new IllegalStateException("no lease");
            }
        }
    }

    @Benchmark
    @Fork(
            value = 2,
            jvmArgsAppend = {})
    public boolean bare(Pool pool) {
        return pool.submit();
    }

    @Benchmark
    public boolean noLease(Pool pool) {
        return pool.submit();
    }

    @Benchmark
    public boolean leaseElsewhere(Elsewhere elsewhere, Pool pool) {
        return pool.submit();
    }

    @Benchmark
    public boolean underLease(Holder holder, Pool pool) {
        return pool.submit();
    }
}
