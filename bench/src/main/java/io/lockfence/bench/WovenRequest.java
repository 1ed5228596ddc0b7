/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import io.lockfence.bootstrap.LeaseContext;
import java.io.IOException;
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
 * One HTTP request through a woven client, against the bare call; the client is a stub of Apache HttpClient 4 that sends nothing, woven by the real agent in enforce mode at
 * the same two methods: the call, and the attempt. Bounds (DESIGN §6): no lease, 5 ns more than bare for each woven call, no allocation.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = WovenCall.AGENT)
public class WovenRequest {
    /** No agent in this JVM, or no lease. */
    @State(Scope.Thread)
    public static class Idle {
        final StubRequest request = new StubRequest();
    }

    /** A lease, on another thread. */
    @State(Scope.Thread)
    public static class Elsewhere {
        final StubRequest request = new StubRequest();
        private final CountDownLatch done = new CountDownLatch(1);
        private Thread holder;

        @Setup
        public void take() throws Exception {
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
        }

        @TearDown
        public void giveBack() throws Exception {
            done.countDown();
            holder.join();
        }
    }

    /** A lease on this thread. */
    @State(Scope.Thread)
    public static class Holder {
        final StubRequest request = new StubRequest();

        @Setup
        public void take() throws IOException {
            Lock.take("here");
            request.send();
            if (request.sent == null || LeaseContext.idle()) {
                throw new IllegalStateException("no header: is the client woven?");
            }
        }
    }

    @Benchmark
    @Fork(
            value = 2,
            jvmArgsAppend = {})
    public Object bare(Idle state) throws IOException {
        return state.request.send();
    }

    @Benchmark
    public Object noLease(Idle state) throws IOException {
        return state.request.send();
    }

    @Benchmark
    public Object leaseElsewhere(Elsewhere state) throws IOException {
        return state.request.send();
    }

    @Benchmark
    public Object requestUnderLease(Holder state) throws IOException {
        return state.request.send();
    }
}
