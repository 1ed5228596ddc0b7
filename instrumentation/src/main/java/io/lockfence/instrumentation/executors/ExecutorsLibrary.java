/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/**
 * The executors of {@code java.util.concurrent}, JDK 17 to 25. Thread-per-task executors and threads of the service's own need
 * nothing: what is left on a thread ends with it.
 */
public final class ExecutorsLibrary implements Library {
    private static final String CONCURRENT = "java.util.concurrent.";
    private static final String THREAD_POOL = CONCURRENT + "ThreadPoolExecutor";
    private static final String TASKS = "thread pool tasks";
    private static final String FORK_JOIN = "fork/join tasks";

    /** Classes that not every JDK has, or that are loaded when first used, are no capability of their own. */
    @Override
    public List<Point> points() {
        return List.of(
                new Point(THREAD_POOL, "getTask", "()", WorkerAsksAdvice.class, TASKS),
                new Point(THREAD_POOL, "processWorkerExit", "(", WorkerEndsAdvice.class, TASKS),
                // A worker's turn: one submitted task and the pieces that it forked.
                new Point(
                        CONCURRENT + "ForkJoinPool$WorkQueue",
                        "topLevelExec",
                        "(",
                        ForkJoinTaskAdvice.class,
                        FORK_JOIN),
                // Submitted tasks that follow one another within one turn, or that a worker runs while it waits in a
                // task.
                exec("CompletableFuture$AsyncRun"),
                exec("CompletableFuture$AsyncSupply"),
                exec("CompletableFuture$Completion"),
                exec("ForkJoinTask$AdaptedCallable"),
                exec("ForkJoinTask$AdaptedRunnable"),
                exec("ForkJoinTask$AdaptedRunnableAction"),
                exec("SubmissionPublisher$ConsumerTask"),
                // JDK 17 to 21; later ones are InterruptibleTasks.
                exec("ForkJoinTask$AdaptedInterruptibleCallable"),
                exec("ForkJoinTask$RunnableExecuteAction"),
                exec("ForkJoinPool$InvokeAnyTask"),
                // JDK 22 and later.
                exec("ForkJoinTask$InterruptibleTask"));
    }

    @Override
    public String name() {
        return "executors";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }

    private static Point exec(String task) {
        return new Point(CONCURRENT + task, "exec", "()Z", ForkJoinTaskAdvice.class, FORK_JOIN);
    }
}
