/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of our own. They keep nothing of the service's: no context loader, no inherited thread-locals, daemons. */
public final class Workers {
    private static final String WORKER = "lockfence-worker-";

    /**
     * For what may block, or run continuations of the service's: as many threads as it takes, since one that waits for another would
     * stop a bounded pool. Idle threads end after five seconds.
     */
    private static final Executor WORKERS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads(WORKER));

    /** For what waits for claims before the service sees a request. Bounded, as any number of clients may send such requests. */
    private static final ThreadPoolExecutor RECEPTIONS = new ThreadPoolExecutor(
            64, 64, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1024), threads(WORKER + "reception-"));

    static {
        RECEPTIONS.allowCoreThreadTimeOut(true);
    }

    private Workers() {}

    /** Whether a thread is one of those that {@link #onWorker} uses. */
    public static boolean isWorker(Thread thread) {
        return thread.getName().startsWith(WORKER);
    }

    /**
     * A task that runs the given one on a worker, under the context class loader of the thread that makes it: continuations of the
     * service's find what they would have found there.
     */
    public static Runnable onWorker(Runnable task) {
        Runnable within = withinContext(task);
        return () -> WORKERS.execute(within);
    }

    /**
     * Runs a task that may block for claims, and for nothing else of the service's: on one of 64 threads, behind at most 1024 others.
     *
     * @throws RejectedExecutionException where too many wait
     */
    public static void forReception(Runnable task) {
        RECEPTIONS.execute(withinContext(task));
    }

    private static Runnable withinContext(Runnable task) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread worker = Thread.currentThread();
            worker.setContextClassLoader(context);
            try {
                task.run();
            } finally {
                worker.setContextClassLoader(null);
            }
        };
    }

    /** Makes threads of this kind. */
    public static ThreadFactory threads(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        };
    }
}
