/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * What woven executors say about their units of work (DESIGN §2.1): a lease that one task leaves on its thread must not poison the
 * next. Called by inlined advice in classes of the JDK; never throws.
 */
public final class Units {
    /** More room than this is a queue without bound: the pool does not grow beyond its core. */
    private static final int BOUNDLESS = 1 << 29;

    private Units() {}

    /**
     * A worker of a {@code ThreadPoolExecutor} asks for its next task. In a pool of more than one thread nobody can rely on thread
     * ownership from one task to the next: what is on the thread is set aside. In a pool of one it stays, save for the exception of
     * {@link LeaseEvents#taskEnded}.
     *
     * @param core the pool's core size
     * @param maximum the pool's maximum size
     * @param queue of the pool
     */
    public static void workerAsks(int core, int maximum, BlockingQueue<?> queue) {
        try {
            LeaseContext context = LeaseContext.of(Thread.currentThread());
            if (context == null) {
                return;
            }
            if (effectiveSize(core, maximum, queue) > 1) {
                leftOver(LeaseContext.endUnit(null), null);
                return;
            }
            if (context.leases().length > 0) {
                Seams.leaseEvents().taskEnded(context);
            }
            LeaseContext.trim();
        } catch (Throwable t) {
            Seams.fault(t);
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
     * A task begins. On a worker of a {@code ForkJoinPool} it is a unit of its own; a caller that helps with the pieces of its own work
     * keeps its leases.
     *
     * @return for {@link #endTask(LeaseContext)}
     */
    public static LeaseContext beginTask() {
        if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
            return null;
        }
        return LeaseContext.beginUnit();
    }

    /** A task that {@link #beginTask()} began has ended, also by a throw. */
    public static void endTask(LeaseContext before) {
        if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
            end(before, null);
        }
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
