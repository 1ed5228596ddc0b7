/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What a woven call allocates on a thread that never made one before: JMH does not see it, since its threads live long. Run under the
 * agent; each thread makes one call without a lease, while another thread holds one. Prints bytes for each thread and fails above the
 * bound of none.
 */
public final class FreshThreads {
    private static final int THREADS = 2_000;

    private FreshThreads() {}

    public static void main(String[] arguments) throws Exception {
        Lock.take("main");
        StubConnection connection = StubConnection.open();
        // Links the call sites and loads what is loaded once.
        platformThreads(connection);
        long platform = platformThreads(connection);
        System.out.printf("platform threads: %d bytes for each call%n", platform / THREADS);
        long virtual = 0;
        if (Runtime.version().feature() >= 21) {
            virtualThreads(true);
            virtualThreads(false);
            long bare = virtualThreads(false);
            long woven = virtualThreads(true);
            virtual = woven - bare;
            System.out.printf(
                    "virtual threads: %d bytes each with a call, %d without%n", woven / THREADS, bare / THREADS);
        }
        // A virtual thread's own bytes vary by a little; a thread-local map would be 135.
        if (platform > 0 || virtual > 16L * THREADS) {
            System.out.println("above the bound: a woven call on a fresh thread allocates nothing");
            System.exit(1);
        }
        System.exit(0);
    }

    /** Bytes that all calls together allocated, each on a thread of its own. */
    private static long platformThreads(StubConnection connection) throws InterruptedException {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] sum = new long[1];
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                // The first question allocates by itself.
                threads.getCurrentThreadAllocatedBytes();
                long before = threads.getCurrentThreadAllocatedBytes();
                connection.write();
                sum[0] += threads.getCurrentThreadAllocatedBytes() - before;
            });
            thread.start();
            thread.join();
        }
        return sum[0];
    }

    /** Bytes that this many virtual threads cost the JVM, by the account of all its threads; each has a connection of its own. */
    private static long virtualThreads(boolean call) throws Exception {
        Method total = com.sun.management.ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        Object threads = ManagementFactory.getThreadMXBean();
        ExecutorService executor = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        CountDownLatch done = new CountDownLatch(THREADS);
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            StubConnection connection = StubConnection.open();
            tasks.add(() -> {
                if (call) {
                    connection.write();
                }
                done.countDown();
            });
        }
        long before = (long) total.invoke(threads);
        for (Runnable task : tasks) {
            executor.execute(task);
        }
        done.await();
        long after = (long) total.invoke(threads);
        executor.shutdown();
        return after - before;
    }
}
