/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which leases work inherits that was given to an executor, or chained to a future, and has not begun: those of whoever gave it, by reference, so
 * that a renewal, a loss or a release meanwhile is seen when it begins.
 *
 * <p>A table from the task object to the leases, beside the executor: its queues hold the service's own objects, nothing is wrapped and no class
 * gets a field. Tasks are told apart by identity and held weakly. What is in the table keeps the JVM from being {@linkplain LeaseContext#idle()
 * idle}. Bounded: what does not fit fails closed, as a fault.
 *
 * <p>An object may be given to one executor several times before it runs: what does not capture anything is one object for all its submissions. Then
 * each run takes what the oldest submission captured of those that have not begun; the runs of one object differ in nothing else. Once an object is
 * in the table, a submission under no lease is noted as well.
 *
 * <p>Thread safe.
 */
final class Inheritance {
    /** Where work is that was forked, or given to a {@code ForkJoinPool}: there each task is an object of its own. */
    static final Object FORKED = new Object();

    /** Where work is that gets a thread of its own. */
    static final Object THREAD = new Object();

    /** Where work is that waits for a future. */
    static final Object CHAINED = new Object();

    private static final int SLOTS = 1024;
    private static final int SLOT_BOUND = 100_000;
    private static final Lease[] NONE = {};

    private static final Slot[] TABLE = new Slot[SLOTS];
    private static final AtomicInteger SIZE = new AtomicInteger();
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

    static {
        for (int i = 0; i < SLOTS; i++) {
            TABLE[i] = new Slot();
        }
    }

    /** One submission. */
    private static final class Handed extends WeakReference<Object> {
        private final int hash;
        /** Of the place: a reference to it would keep an executor alive whose queue keeps the task. */
        private final int place;

        private final Lease[] leases;
        private Handed older;

        Handed(Object task, int hash, Object place, Lease[] leases) {
            super(task, COLLECTED);
            this.hash = hash;
            this.place = System.identityHashCode(place);
            this.leases = leases;
        }

        boolean is(Object task, int where) {
            return place == where && refersTo(task);
        }
    }

    /** Newest first; changed under its monitor. */
    private static final class Slot {
        private volatile Handed newest;
        private int length;
    }

    private Inheritance() {}

    /**
     * Notes that a task inherits these leases.
     *
     * @param place where it waits; told apart by identity
     * @param leases never changed; if empty, nothing is noted unless the task is in the table already
     * @return for {@link #drop(Object)}; null if nothing was noted
     */
    static Object hand(Object task, Object place, Lease[] leases) {
        if (leases.length == 0 && SIZE.get() == 0) {
            return null;
        }
        forgetCollected();
        int hash = System.identityHashCode(task);
        Slot slot = slot(hash);
        synchronized (slot) {
            if (leases.length == 0 && oldest(slot, task, place) == null) {
                return null;
            }
            if (slot.length >= SLOT_BOUND) {
                throw new IllegalStateException("too many tasks wait with leases of whoever submitted them");
            }
            Handed handed = new Handed(task, hash, place, leases);
            handed.older = slot.newest;
            slot.newest = handed;
            slot.length++;
            SIZE.incrementAndGet();
            LeaseContext.activate();
            return handed;
        }
    }

    /** The task begins: what its oldest submission was handed. Null if nothing was noted. */
    static Lease[] take(Object task, Object place) {
        if (SIZE.get() == 0) {
            return null;
        }
        Slot slot = slot(System.identityHashCode(task));
        if (slot.newest == null) {
            return null;
        }
        synchronized (slot) {
            Handed handed = oldest(slot, task, place);
            if (handed == null) {
                return null;
            }
            unlink(slot, handed);
            return handed.leases;
        }
    }

    /** What {@link #take} would return, and leaves it. */
    static Lease[] look(Object task, Object place) {
        if (SIZE.get() == 0) {
            return null;
        }
        Slot slot = slot(System.identityHashCode(task));
        synchronized (slot) {
            Handed handed = oldest(slot, task, place);
            return handed == null ? null : handed.leases;
        }
    }

    /** A submission failed. Nothing happens if its task has begun. */
    static void drop(Object handed) {
        if (handed instanceof Handed submission) {
            Slot slot = slot(submission.hash);
            synchronized (slot) {
                unlink(slot, submission);
            }
        }
    }

    /** The newest submission of a task was turned away. */
    static void dropNewest(Object task, Object place) {
        if (SIZE.get() == 0) {
            return;
        }
        Slot slot = slot(System.identityHashCode(task));
        int where = System.identityHashCode(place);
        synchronized (slot) {
            for (Handed handed = slot.newest; handed != null; handed = handed.older) {
                if (handed.is(task, where)) {
                    unlink(slot, handed);
                    return;
                }
            }
        }
    }

    /** Forgets tasks that will never run: nobody holds them any more. */
    static void forgetCollected() {
        for (Reference<?> collected = COLLECTED.poll(); collected != null; collected = COLLECTED.poll()) {
            drop(collected);
        }
    }

    /** How many submissions have not begun. */
    static int size() {
        forgetCollected();
        return SIZE.get();
    }

    /** Without leases of the process: those are on every thread by themselves. */
    static Lease[] handedOn(Lease[] current) {
        int own = 0;
        for (Lease lease : current) {
            if (!lease.ofProcess()) {
                own++;
            }
        }
        if (own == current.length) {
            return current;
        }
        if (own == 0) {
            return NONE;
        }
        Lease[] handed = new Lease[own];
        int i = 0;
        for (Lease lease : current) {
            if (!lease.ofProcess()) {
                handed[i++] = lease;
            }
        }
        return handed;
    }

    private static Slot slot(int hash) {
        return TABLE[(hash ^ hash >>> 12) & SLOTS - 1];
    }

    private static Handed oldest(Slot slot, Object task, Object place) {
        Handed found = null;
        int where = System.identityHashCode(place);
        for (Handed handed = slot.newest; handed != null; handed = handed.older) {
            if (handed.is(task, where)) {
                found = handed;
            }
        }
        return found;
    }

    private static void unlink(Slot slot, Handed handed) {
        if (slot.newest == handed) {
            slot.newest = handed.older;
        } else {
            Handed newer = slot.newest;
            while (newer != null && newer.older != handed) {
                newer = newer.older;
            }
            if (newer == null) {
                return;
            }
            newer.older = handed.older;
        }
        slot.length--;
        SIZE.decrementAndGet();
        LeaseContext.deactivate();
    }
}
