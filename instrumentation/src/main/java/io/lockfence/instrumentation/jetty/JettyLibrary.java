/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.PoolTaskAdvice;
import io.lockfence.instrumentation.PoolWorkerAdvice;
import java.util.List;
import java.util.Set;

/**
 * Jetty's thread pool, 9.4 to 12. One job of it may be a whole series of requests: a thread that produces tasks also runs them ("eat
 * what you kill"), and a reserved thread waits for tasks within its job. Each of those tasks is a unit as well.
 */
public final class JettyLibrary implements Library {
    private static final String THREAD = "org.eclipse.jetty.util.thread.";
    private static final String RUNNABLE = "(Ljava/lang/Runnable;)V";
    private static final String JOBS = "pool jobs";
    private static final String TASKS = "tasks within a job";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(THREAD + "QueuedThreadPool", "runJob", RUNNABLE, PoolTaskAdvice.class, JOBS),
                // 10 and later; 9.4.
                new Point(
                        THREAD + "strategy.AdaptiveExecutionStrategy",
                        "runTask",
                        RUNNABLE,
                        PoolTaskAdvice.class,
                        TASKS),
                new Point(THREAD + "strategy.EatWhatYouKill", "runTask", RUNNABLE, PoolTaskAdvice.class, TASKS),
                // 12; 9.4 to 11.
                new Point(
                        THREAD + "ReservedThreadExecutor$ReservedThread",
                        "waitForTask",
                        "()",
                        PoolWorkerAdvice.class,
                        TASKS),
                new Point(
                        THREAD + "ReservedThreadExecutor$ReservedThread",
                        "reservedWait",
                        "()",
                        PoolWorkerAdvice.class,
                        TASKS));
    }

    @Override
    public String name() {
        return "jetty";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
