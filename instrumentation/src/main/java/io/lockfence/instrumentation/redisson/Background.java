/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of our own. They keep nothing of the service's: no context loader, no inherited thread-locals, daemons. */
final class Background {
    private static final String WORKER = "lockfence-redisson-worker-";

    /** For time-outs and looks at holds; nothing that runs here blocks. */
    static final ScheduledThreadPoolExecutor TIMER = timer();

    /**
     * For what may block, or run continuations of the service's: as many threads as it takes, since one that waits for another would
     * stop a bounded pool. Idle threads end after five seconds.
     */
    private static final Executor WORKERS =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), named(WORKER));

    private Background() {}

    /** Whether a thread is one of those that {@link #onWorker} uses. */
    static boolean isWorker(Thread thread) {
        return thread.getName().startsWith(WORKER);
    }

    /**
     * A task that runs the given one on a worker, under the context class loader of the thread that makes it: continuations of the
     * service's find what they would have found there.
     */
    static Runnable onWorker(Runnable task) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return () -> WORKERS.execute(() -> {
            Thread worker = Thread.currentThread();
            worker.setContextClassLoader(context);
            try {
                task.run();
            } finally {
                worker.setContextClassLoader(null);
            }
        });
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("lockfence-redisson-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(5, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        };
    }
}
