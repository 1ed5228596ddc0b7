/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What woven executors say when work is given to them: it inherits the leases of the thread that gives it, dead or alive, by reference. Not
 * periodic work, not {@linkplain Housekeeping housekeeping}, and not what the rules leave out. Called by inlined advice in classes of the JDK; never
 * throws. Units of work are in {@link Units}.
 */
public final class Submissions {
    private static final Lease[] NONE = {};

    private Submissions() {}

    /**
     * A task is given to a pool of threads.
     *
     * @param executor where {@link Units#taskBegins} will take it
     * @param factory what makes the pool's threads; null if that is not known
     * @return for {@link #returned}; null if it inherits nothing
     */
    public static Object submitted(Object executor, Object factory, Object task) {
        return submitted(executor, executor, factory, task);
    }

    /** A task is given to a scheduled pool; a periodic one inherits nothing. */
    public static Object scheduled(Executor executor, RunnableScheduledFuture<?> task) {
        try {
            return task == null || task.isPeriodic() ? null : submitted(executor, executor, factory(executor), task);
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** The getter may be the service's own. */
    private static Object factory(Executor executor) {
        try {
            return ((ThreadPoolExecutor) executor).getThreadFactory();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** A task is forked, or given to a {@code ForkJoinPool}. */
    public static void forked(Object pool, Object factory, Object task) {
        submitted(Inheritance.FORKED, pool, factory, task);
    }

    /** A task is forked by the thread that runs the current one. */
    public static void forked(Object task) {
        submitted(Inheritance.FORKED, null, null, task);
    }

    /** A task is made that a {@code ForkJoinPool}'s timer will start; of what the service gave, one is null. */
    public static void delayed(Object pool, Object task, boolean periodic, Object runnable, Object callable) {
        Object work = runnable == null ? callable : runnable;
        if (!periodic && work != null && inherits(pool, null, work)) {
            submitted(Inheritance.FORKED, pool, null, task);
        }
    }

    /** A task is given to an executor that starts a thread for it. */
    public static void startsThread(Object executor, Object factory, Object task) {
        submitted(Inheritance.THREAD, executor, factory, task);
    }

    private static Object submitted(Object place, Object executor, Object factory, Object task) {
        try {
            if (task == null) {
                return null;
            }
            Lease[] leases = Inheritance.handedOn(LeaseContext.current());
            if (leases.length > 0 && !inherits(executor, factory, task)) {
                leases = NONE;
            }
            // Elsewhere a task is submitted once: that it was, under no lease, need not be noted.
            return leases.length == 0 && place != executor ? null : Inheritance.hand(task, place, leases);
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /**
     * The method that submits has returned, and its task is in the queue, or has been taken up; or it has thrown.
     *
     * @param submission null for none
     * @param thrown null if it has returned
     */
    public static void returned(Object submission, Throwable thrown) {
        if (thrown == null) {
            Inheritance.settle(submission);
        } else {
            Inheritance.drop(submission);
        }
    }

    /**
     * The pool turns a task away. Its submitter runs it, or nobody does, or it is submitted anew; what another handler does with it is not known: it may
     * wait for room in the queue; one that throws has failed.
     */
    public static void rejected(Object executor, RejectedExecutionHandler handler, Object task) {
        Class<?> type = handler == null ? null : handler.getClass();
        if (type == ThreadPoolExecutor.CallerRunsPolicy.class
                || type == ThreadPoolExecutor.DiscardPolicy.class
                || type == ThreadPoolExecutor.DiscardOldestPolicy.class) {
            Inheritance.dropNewest(task, executor);
        }
    }

    /**
     * A task was taken out of the pool's queue, and the pool will not run it.
     *
     * @param queue the pool's
     */
    public static void removed(Object executor, BlockingQueue<?> queue, Object task) {
        try {
            if (task != null) {
                Inheritance.take(task, executor, queue, false);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * All tasks were taken out of the pool's queue, which has been shut down.
     *
     * @param tasks null for none
     */
    public static void removedAll(Object executor, List<?> tasks) {
        if (tasks != null) {
            for (Object task : tasks) {
                Inheritance.take(task, executor);
            }
        }
    }

    /** A pool makes room for a task by discarding what has waited longest, as {@link ThreadPoolExecutor.DiscardOldestPolicy} does. */
    public static void discardOldest(ThreadPoolExecutor executor, Runnable task) {
        BlockingQueue<Runnable> queue = executor.getQueue();
        removed(executor, queue, queue.poll());
        executor.execute(task);
    }

    /** Work is chained to a future, to run on an executor: it inherits the leases of whoever chains it, not of whoever completes the future. */
    public static void chained(Object completion) {
        try {
            Lease[] leases = Inheritance.handedOn(LeaseContext.current());
            if (leases.length > 0) {
                Inheritance.hand(completion, Inheritance.CHAINED, leases);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The work has been given to its executor. */
    public static void handedOn(Object completion) {
        Inheritance.take(completion, Inheritance.CHAINED);
    }

    /**
     * The service gives work to an executor, which may put it into a task of another class. If it is to inherit nothing, the thread has no leases until
     * {@link #given}.
     *
     * @param executor null if it is not known
     * @param factory what makes the executor's threads; null if that is not known, or does not matter yet
     * @param work as the service gives it
     * @return for {@link #given}; null if it may inherit
     */
    public static Object giving(Object executor, Object factory, Object work) {
        try {
            return work == null
                            || Inheritance.handedOn(LeaseContext.current()).length == 0
                            // Then its task inherits nothing in any case: the timer of virtual threads, which sleep.
                            || (factory != null && Housekeeping.is(factory.getClass()))
                            || inherits(executor, factory, work)
                    ? null
                    : LeaseContext.beginUnit();
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** The same, with the factory that the executor tells. */
    public static Object givingToTimer(Executor executor, Object work) {
        return giving(executor, factory(executor), work);
    }

    /** The work was given, or refused by a throw. */
    public static void given(Object giving) {
        Units.endTask(giving);
    }

    /**
     * What a task inherits that the current thread gives away, for integrations that carry it themselves.
     *
     * @param executor class of what will run it
     * @return empty if it inherits nothing; the array is never changed
     */
    public static Lease[] inheritedBy(Class<?> executor, Class<?> task) {
        Lease[] leases = Inheritance.handedOn(LeaseContext.current());
        return leases.length == 0 || inherits(executor, null, task) ? leases : NONE;
    }

    /**
     * What work inherits that a library carries on from the current thread by itself.
     *
     * @param executor class of what will run it; null if that is not known
     * @param carrier class of what it is part of, for the rules
     * @return empty if it inherits nothing; the array is never changed
     */
    public static Lease[] carriedOn(Class<?> executor, Class<?> carrier) {
        Lease[] leases = Inheritance.handedOn(LeaseContext.current());
        LeaseEvents events = Seams.leaseEvents();
        return leases.length == 0 || events == null || events.inherits(executor, null, carrier) ? leases : NONE;
    }

    private static boolean inherits(Object executor, Object factory, Object task) {
        return inherits(
                executor == null ? null : executor.getClass(),
                factory == null ? null : factory.getClass(),
                task.getClass());
    }

    private static boolean inherits(Class<?> executorType, Class<?> factoryType, Class<?> taskType) {
        if (Housekeeping.is(taskType)
                || (executorType != null && Housekeeping.is(executorType))
                || (factoryType != null && Housekeeping.is(factoryType))) {
            return false;
        }
        LeaseEvents events = Seams.leaseEvents();
        return events == null || events.inherits(executorType, factoryType, taskType);
    }
}
