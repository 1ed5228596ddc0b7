/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What woven executors say about the units of work that they run (DESIGN §2.1): a lease that one task leaves on its thread must not poison the
 * next, and a task runs under the leases that {@link Submissions} noted for it. Called by inlined advice in classes of the JDK; never throws.
 */
public final class Units {
    /** More room than this is a queue without bound: the pool does not grow beyond its core. */
    private static final int BOUNDLESS = 1 << 29;

    /** What a unit that found no context on its thread has to put back. */
    private static final Object NOTHING = new Object();

    /** Of scopes without a name. */
    private static final Object UNNAMED = new Object();

    /** Tasks that are given to a {@code ForkJoinPool}, in JDK 17 to 25; other ones are pieces of recursive work. */
    private static final Set<String> SUBMITTED = Set.of(
            "java.util.concurrent.CompletableFuture$AsyncRun",
            "java.util.concurrent.CompletableFuture$AsyncSupply",
            "java.util.concurrent.CompletableFuture$Completion",
            "java.util.concurrent.ForkJoinTask$AdaptedCallable",
            "java.util.concurrent.ForkJoinTask$AdaptedRunnable",
            "java.util.concurrent.ForkJoinTask$AdaptedRunnableAction",
            "java.util.concurrent.SubmissionPublisher$ConsumerTask",
            // 17 to 21; later ones are InterruptibleTasks.
            "java.util.concurrent.ForkJoinTask$AdaptedInterruptibleCallable",
            "java.util.concurrent.ForkJoinTask$RunnableExecuteAction",
            "java.util.concurrent.ForkJoinPool$InvokeAnyTask",
            // 22 and later.
            "java.util.concurrent.ForkJoinTask$InterruptibleTask");

    private static final ClassValue<Boolean> IS_SUBMITTED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> task) {
            for (Class<?> type = task; type != null; type = type.getSuperclass()) {
                if (SUBMITTED.contains(type.getName())) {
                    return true;
                }
            }
            return false;
        }
    };

    private Units() {}

    /**
     * A worker of a {@code ThreadPoolExecutor} asks for its next task. In a pool of more than one thread nobody can rely on thread
     * ownership from one task to the next: what is on the thread is set aside. In a pool of one it stays, save for the exception of
     * {@link LeaseEvents#taskEnded}. What the task inherited goes.
     *
     * @param core the pool's core size
     * @param maximum the pool's maximum size
     * @param queue of the pool
     */
    public static void workerAsks(int core, int maximum, BlockingQueue<?> queue) {
        try {
            LeaseContext.closeScopes();
            LeaseContext context = LeaseContext.of(Thread.currentThread());
            if (context == null) {
                return;
            }
            if (effectiveSize(core, maximum, queue) > 1) {
                leftOver(LeaseContext.endUnit(null), null);
                return;
            }
            context.takeBack();
            if (context.leases().length > 0) {
                Seams.leaseEvents().taskEnded(context);
            }
            LeaseContext.trim();
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * A worker of a pool begins a task: under what the task inherits, beside what a pool of one keeps on its thread. It ends with
     * {@link #workerAsks} or {@link #unitOver()}.
     *
     * @param executor that the task was given to
     * @param queue of the pool
     * @param task null for none
     */
    public static void taskBegins(Object executor, BlockingQueue<?> queue, Object task) {
        try {
            Lease[] leases = task == null ? null : Inheritance.take(task, executor, queue, false);
            if (leases != null && leases.length > 0) {
                LeaseContext.ofCurrentThread().lend(leases);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The same for the task that went past the queue, to a thread that was made for it. */
    public static void firstTaskBegins(ThreadPoolExecutor executor, Object task) {
        try {
            Lease[] leases = task == null || Inheritance.isEmpty()
                    ? null
                    : Inheritance.take(task, executor, queue(executor), true);
            if (leases != null && leases.length > 0) {
                LeaseContext.ofCurrentThread().lend(leases);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The getter may be the service's own. */
    private static BlockingQueue<?> queue(ThreadPoolExecutor executor) {
        try {
            return executor.getQueue();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** The unit on the current thread is over, and its thread goes on to another, or ends: what it left is set aside. */
    public static void unitOver() {
        try {
            leftOver(LeaseContext.endUnit(null), null);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * The only task of a thread begins on it. The thread ends with it, and so does what it leaves there.
     *
     * @return whether {@link #threadsTaskEnds()} must follow
     */
    public static boolean threadsTaskBegins(Object task) {
        try {
            Lease[] leases = Inheritance.take(task, Inheritance.THREAD);
            if (leases == null || leases.length == 0) {
                return false;
            }
            LeaseContext.ofCurrentThread().lend(leases);
            return true;
        } catch (Throwable t) {
            Seams.fault(t);
            return false;
        }
    }

    /** The task that {@link #threadsTaskBegins} began has ended, also by a throw. */
    public static void threadsTaskEnds() {
        try {
            LeaseContext.closeScopes();
            LeaseContext context = LeaseContext.of(Thread.currentThread());
            if (context != null) {
                context.takeBack();
                LeaseContext.trim();
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * A fork/join task begins: under what it inherits. Where it inherits nothing, a submitted task on a worker is a unit without leases, and a piece of
     * recursive work belongs to the unit that its thread is in.
     *
     * @return for {@link #endTask(Object)}; null if no unit begins
     */
    public static Object beginTask(Object task) {
        try {
            Lease[] leases = Inheritance.take(task, Inheritance.FORKED);
            boolean submitted =
                    Thread.currentThread() instanceof ForkJoinWorkerThread && IS_SUBMITTED.get(task.getClass());
            if (leases == null) {
                return submitted ? begun(LeaseContext.beginUnit()) : null;
            }
            // A thread's own piece, run in the unit that forked it.
            return leases == LeaseContext.current() && !submitted ? null : begun(LeaseContext.beginUnit(leases));
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** A task that {@link #beginTask} began has ended, also by a throw. */
    public static void endTask(Object begun) {
        end(begun == NOTHING ? null : (LeaseContext) begun, null);
    }

    /**
     * A thread that waits is about to run whatever tasks it finds: none of them under its own leases, unless they were given to it.
     *
     * @return for {@link #endTask(Object)}; null if the thread has none
     */
    public static Object beginHelping() {
        try {
            return LeaseContext.of(Thread.currentThread()) == null ? null : begun(LeaseContext.beginUnit());
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /**
     * Work that was chained to a future is about to be given to its executor, by whoever completed the future: in the name of whoever chained it.
     *
     * @return for {@link #endTask(Object)}; null if neither has leases
     */
    public static Object beginHandingOn(Object completion) {
        try {
            Lease[] leases = Inheritance.look(completion, Inheritance.CHAINED);
            if (leases != null) {
                return begun(LeaseContext.beginUnit(leases));
            }
            return LeaseContext.of(Thread.currentThread()) == null ? null : begun(LeaseContext.beginUnit());
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /**
     * One turn of work that goes on later, maybe on another thread, begins on this one: under its own leases alone.
     *
     * @param leases of the work; never changed
     * @return for {@link #endTurn(Object)}; null if the thread has these leases already
     */
    public static Object beginTurn(Lease[] leases) {
        try {
            Lease[] here = Inheritance.handedOn(LeaseContext.current());
            return Arrays.equals(here, leases) ? null : begun(LeaseContext.beginUnit(leases));
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** A turn that {@link #beginTurn} began has ended. What it took stays on the thread that took it. */
    public static void endTurn(Object begun) {
        try {
            Lease[] left = LeaseContext.endUnit(begun == NOTHING ? null : (LeaseContext) begun);
            if (left != null) {
                LeaseContext.ofCurrentThread().join(left);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** Runs work under these leases, and not under those of the thread. */
    public static void runInTurn(Lease[] leases, Runnable work) {
        Object begun = beginTurn(leases);
        try {
            work.run();
        } finally {
            if (begun != null) {
                endTurn(begun);
            }
        }
    }

    /**
     * Within the unit of work on the current thread, a scope of a library begins: it is under these leases alone until {@link #closeScope}, or until the
     * unit ends, since libraries leave scopes open. Nothing begins if the thread has these leases already.
     *
     * @param leases never changed; empty for none
     * @param name by which it is closed, told apart by identity; null for a scope without a name
     */
    public static void openScope(Lease[] leases, Object name) {
        try {
            boolean same = Arrays.equals(Inheritance.handedOn(LeaseContext.current()), leases);
            // Within another scope it would be taken for that one when it is closed, had it no name.
            if (!same || (name == null && LeaseContext.isInScope())) {
                LeaseContext.openScope(leases, name == null ? UNNAMED : name);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * A scope is closed, and with it what was opened in it and left open. Nothing happens if no such scope is open in the unit of work that is under way.
     *
     * @param name null for the latest one without a name
     */
    public static void closeScope(Object name) {
        try {
            LeaseContext.closeScope(name == null ? UNNAMED : name);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static Object begun(LeaseContext before) {
        return before == null ? NOTHING : before;
    }

    /**
     * A unit that {@link LeaseContext#beginUnit()} began has ended on the current thread, also by a throw.
     *
     * @param before what that returned
     * @param place a name for reports; null for the name of the thread
     */
    public static void end(LeaseContext before, String place) {
        try {
            leftOver(LeaseContext.endUnit(before), place);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static void leftOver(Lease[] leases, String place) {
        if (leases != null) {
            String where = place != null
                    ? place
                    : "a task on thread " + Thread.currentThread().getName();
            Seams.leaseEvents().leftOver(leases, where);
        }
    }

    /** As many threads as the pool grows to: {@code execute} starts one beyond the core only when the queue is full. */
    static int effectiveSize(int core, int maximum, BlockingQueue<?> queue) {
        return queue.remainingCapacity() > BOUNDLESS ? Math.max(core, 1) : maximum;
    }
}
