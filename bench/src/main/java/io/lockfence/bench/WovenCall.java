/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import io.lockfence.bootstrap.LeaseContext;
import java.util.concurrent.CountDownLatch;
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
 * One statement through the woven driver, against the bare call; the driver is a stub that sends nothing, woven by the real agent in
 * enforce mode. Bounds (DESIGN §6): no lease, 5 ns more than bare; under a lease, 1.5 × {@code nanoTime} + 10 ns more; no allocation.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = WovenCall.AGENT)
public class WovenCall {
    static final String AGENT = "-javaagent:agent/target/lockfence.jar=config=bench/lockfence.yaml";

    /** No agent in this JVM. */
    @State(Scope.Thread)
    public static class Bare {
        StubConnection connection;

        @Setup
        public void open() throws Exception {
            connection = StubConnection.open();
        }
    }

    /** No lease in this JVM. */
    @State(Scope.Thread)
    public static class Idle {
        StubConnection connection;

        @Setup
        public void open() throws Exception {
            connection = StubConnection.open();
            if (!LeaseContext.idle()) {
                throw new IllegalStateException("not idle");
            }
        }
    }

    /** A lease, on another thread. */
    @State(Scope.Thread)
    public static class Elsewhere {
        private final CountDownLatch done = new CountDownLatch(1);
        private Thread holder;
        StubConnection connection;

        @Setup
        public void open() throws Exception {
            connection = StubConnection.open();
            CountDownLatch taken = new CountDownLatch(1);
            holder = new Thread(() -> {
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
            if (LeaseContext.idle()) {
                throw new IllegalStateException("idle");
            }
        }

        @TearDown
        public void close() throws Exception {
            done.countDown();
            holder.join();
        }
    }

    /** A lease on this thread, in a transaction that it has claimed for. */
    @State(Scope.Thread)
    public static class Holder {
        StubConnection connection;

        @Setup
        public void open() throws Exception {
            connection = StubConnection.open();
            Lock.take("here");
            connection.write();
            if (LeaseContext.active() != 2) {
                throw new IllegalStateException("the lease and its transaction should count, and not "
                        + LeaseContext.active() + ": the driver is not woven");
            }
        }
    }

    @Benchmark
    @Fork(
            value = 2,
            jvmArgsAppend = {})
    public void bare(Bare state) {
        state.connection.write();
    }

    @Benchmark
    public void noLease(Idle state) {
        state.connection.write();
    }

    @Benchmark
    public void leaseElsewhere(Elsewhere state) {
        state.connection.write();
    }

    @Benchmark
    public void writeUnderLease(Holder state) {
        state.connection.write();
    }

    @Benchmark
    public void readUnderLease(Holder state) {
        state.connection.read();
    }

    @Benchmark
    @Fork(
            value = 2,
            jvmArgsAppend = {})
    public long nanoTime() {
        return System.nanoTime();
    }
}
