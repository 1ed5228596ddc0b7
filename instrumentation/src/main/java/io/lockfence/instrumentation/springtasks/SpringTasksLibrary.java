/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.springtasks;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** {@code SimpleAsyncTaskExecutor} of Spring 5.3 and later: what {@code @Async} uses where there is no pool, or virtual threads are on. */
public final class SpringTasksLibrary implements Library {
    private static final String TASKS = "tasks with threads of their own";

    @Override
    public List<Point> points() {
        return List.of(new Point(
                "org.springframework.core.task.SimpleAsyncTaskExecutor",
                "doExecute",
                "(Ljava/lang/Runnable;)V",
                StartAdvice.class,
                TASKS));
    }

    @Override
    public String name() {
        return "spring-tasks";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
