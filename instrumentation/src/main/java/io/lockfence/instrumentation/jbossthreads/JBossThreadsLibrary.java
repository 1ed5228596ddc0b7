/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jbossthreads;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.PoolTaskAdvice;
import java.util.List;
import java.util.Set;

/** The pool of Undertow's and WildFly's worker threads, 2 and 3. */
public final class JBossThreadsLibrary implements Library {
    private static final String EXECUTOR = "org.jboss.threads.EnhancedQueueExecutor";
    private static final String TASKS = "pool tasks";

    @Override
    public List<Point> points() {
        return List.of(
                // 2: the worker's call for each task.
                new Point(
                        EXECUTOR + "$ThreadBody", "doRunTask", "(Ljava/lang/Runnable;)V", PoolTaskAdvice.class, TASKS),
                // 3: the wrapper of each task.
                new Point(EXECUTOR + "$Task", "run", "()V", PoolTaskAdvice.class, TASKS));
    }

    @Override
    public String name() {
        return "jboss-threads";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
