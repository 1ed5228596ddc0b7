/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/**
 * The executors of {@code java.util.concurrent}, JDK 17 to 25: where work is given to them, and where it begins and ends. Threads of the service's own
 * inherit nothing, and what is left on them ends with them.
 */
public final class ExecutorsLibrary implements Library {
    private static final String CONCURRENT = "java.util.concurrent.";
    private static final String THREAD_POOL = CONCURRENT + "ThreadPoolExecutor";
    private static final String SCHEDULED = CONCURRENT + "ScheduledThreadPoolExecutor";
    private static final String ABSTRACT = CONCURRENT + "AbstractExecutorService";
    private static final String FORK_JOIN_POOL = CONCURRENT + "ForkJoinPool";
    private static final String FORK_JOIN_TASK = CONCURRENT + "ForkJoinTask";
    private static final String FUTURE = CONCURRENT + "CompletableFuture";
    private static final String PER_TASK = CONCURRENT + "ThreadPerTaskExecutor";
    private static final String RUNNABLE = "(Ljava/lang/Runnable;";
    private static final String CALLABLE = "(Ljava/util/concurrent/Callable;";
    private static final String TASKS = "thread pool tasks";
    private static final String FORK_JOIN = "fork/join tasks";
    private static final String THREADS = "tasks with threads of their own";
    private static final String STAGES = "completion stages";

    /** Classes that not every JDK has, or that are loaded when first used, are no capability of their own. */
    @Override
    public List<Point> points() {
        return List.of(
                new Point(THREAD_POOL, "execute", RUNNABLE, PoolSubmitAdvice.class, TASKS),
                new Point(THREAD_POOL, "reject", RUNNABLE, PoolRejectAdvice.class, TASKS),
                new Point(THREAD_POOL, "remove", RUNNABLE, PoolRemoveAdvice.class, TASKS),
                new Point(THREAD_POOL, "drainQueue", "()", PoolDrainAdvice.class, TASKS),
                new Point(
                        THREAD_POOL + "$DiscardOldestPolicy",
                        "rejectedExecution",
                        RUNNABLE,
                        PoolDiscardAdvice.class,
                        TASKS),
                new Point(SCHEDULED, "delayedExecute", "(", PoolScheduleAdvice.class, TASKS),
                new Point(THREAD_POOL + "$Worker", "run", "()V", WorkerBeginsAdvice.class, TASKS),
                new Point(THREAD_POOL, "getTask", "()", WorkerAsksAdvice.class, TASKS),
                new Point(THREAD_POOL, "processWorkerExit", "(", WorkerEndsAdvice.class, TASKS),
                //
                new Point(FORK_JOIN_TASK, "fork", "()", ForkAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "externalSubmit", "(", ForkJoinSubmitAdvice.AloneAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "poolSubmit", "(Z", ForkJoinSubmitAdvice.SignallingAdvice.class, FORK_JOIN),
                new Point(
                        CONCURRENT + "DelayScheduler$ScheduledForkJoinTask",
                        "<init>",
                        "(JJZ",
                        ForkJoinTimerAdvice.class,
                        FORK_JOIN),
                new Point(FORK_JOIN_POOL + "$WorkQueue", "topLevelExec", "(", ForkJoinTurnAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_TASK, "doExec", "()", ForkJoinTaskAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "helpJoin", "(", HelpingAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "helpQuiescePool", "(", HelpingAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "externalHelpQuiescePool", "(", HelpingAdvice.class, FORK_JOIN),
                new Point(FORK_JOIN_POOL, "helpAsyncBlocker", "(", HelpingAdvice.class, FORK_JOIN),
                //
                new Point(FUTURE + "$UniCompletion", "<init>", "(", ChainAdvice.class, STAGES),
                new Point(FUTURE + "$UniCompletion", "claim", "()", ClaimAdvice.class, STAGES),
                //
                new Point(PER_TASK, "newThread", RUNNABLE, ThreadStartAdvice.PerTaskAdvice.class, THREADS),
                new Point(PER_TASK + "$TaskRunner", "run", "()V", ThreadTaskAdvice.class, THREADS),
                new Point(PER_TASK + "$ThreadBoundFuture", "run", "()V", ThreadTaskAdvice.class, THREADS),
                new Point(
                        FUTURE + "$ThreadPerTaskExecutor",
                        "execute",
                        RUNNABLE,
                        ThreadStartAdvice.OfFutureAdvice.class,
                        THREADS),
                new Point(FUTURE + "$AsyncRun", "run", "()V", ThreadTaskAdvice.class, THREADS),
                new Point(FUTURE + "$AsyncSupply", "run", "()V", ThreadTaskAdvice.class, THREADS),
                new Point(FUTURE + "$Completion", "run", "()V", ThreadTaskAdvice.class, THREADS),
                //
                giving(ABSTRACT, "submit", RUNNABLE + ")", GivingAdvice.OfExecutorAdvice.class),
                giving(ABSTRACT, "submit", RUNNABLE + "Ljava/lang/Object;)", GivingAdvice.OfExecutorAdvice.class),
                giving(ABSTRACT, "submit", CALLABLE, GivingAdvice.OfExecutorAdvice.class),
                giving(SCHEDULED, "schedule", RUNNABLE, GivingAdvice.OfTimerAdvice.class),
                giving(SCHEDULED, "schedule", CALLABLE, GivingAdvice.OfTimerAdvice.class),
                giving(SCHEDULED, "submit", RUNNABLE + "Ljava/lang/Object;)", GivingAdvice.OfTimerAdvice.class),
                giving(FORK_JOIN_POOL, "execute", RUNNABLE, GivingAdvice.OfForkJoinAdvice.class),
                giving(FORK_JOIN_POOL, "submit", RUNNABLE + ")", GivingAdvice.OfForkJoinAdvice.class),
                giving(FORK_JOIN_POOL, "submit", RUNNABLE + "Ljava/lang/Object;)", GivingAdvice.OfForkJoinAdvice.class),
                giving(FORK_JOIN_POOL, "submit", CALLABLE, GivingAdvice.OfForkJoinAdvice.class),
                giving(PER_TASK, "execute", RUNNABLE, GivingAdvice.OfExecutorAdvice.class),
                giving(PER_TASK, "submit", RUNNABLE, GivingAdvice.OfExecutorAdvice.class),
                giving(PER_TASK, "submit", CALLABLE, GivingAdvice.OfExecutorAdvice.class),
                giving(FUTURE, "asyncRunStage", "(", GivingAdvice.OfStageAdvice.class),
                giving(FUTURE, "asyncSupplyStage", "(", GivingAdvice.OfStageAdvice.class));
    }

    private static Point giving(String type, String method, String descriptor, Class<?> advice) {
        return new Point(type, method, descriptor, advice, method.startsWith("async") ? STAGES : TASKS);
    }

    @Override
    public String name() {
        return "executors";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
