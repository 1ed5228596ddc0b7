/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
 * in the table, a submission under no lease is noted as well. What the service takes out of a queue unseen leaves its submission here: where more have
 * been noted than can wait, those of the newest belong to what does, and the oldest are passed over.
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
    private static final int SLOT_BOUND = 1_000_000;
    /** How many elements of a queue are looked at for each task that begins, on average. */
    private static final int LOOKS = 64;
    /** How long a submission may be away from its queue before its thread has taken it up. */
    private static final long LOST = TimeUnit.MINUTES.toNanos(1);

    private static final int UNKNOWN = -1;
    private static final Lease[] NONE = {};

    private static final Slot[] TABLE = new Slot[SLOTS];
    private static final AtomicInteger SIZE = new AtomicInteger();
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

    static {
        for (int i = 0; i < SLOTS; i++) {
            TABLE[i] = new Slot();
        }
    }

    /** One submission; a link of its task's. */
    private static final class Handed {
        private final Waiting waiting;
        private final Lease[] leases;
        private Handed older;
        private Handed newer;
        private boolean gone;
        /** Its submitter has gone on: it is in the queue, or was. */
        private volatile boolean settled;

        Handed(Waiting waiting, Lease[] leases) {
            this.waiting = waiting;
            this.leases = leases;
        }
    }

    /** The submissions of one task in one place. */
    private static final class Waiting extends WeakReference<Object> {
        private final int hash;
        /** Of the place: a reference to it would keep an executor alive whose queue keeps the task. */
        private final int place;

        private Waiting next;
        private Handed oldest;
        private Handed newest;
        private int count;
        private int takes;
        /** Takes since the queue was looked at. */
        private int unlooked;
        /** How many of the oldest were neither in the queue nor on their way, whenever it was looked at. */
        private int lost;
        /** Since when, by the monotonic clock. */
        private long lostSince;

        Waiting(Object task, int hash, int place) {
            super(task, COLLECTED);
            this.hash = hash;
            this.place = place;
        }
    }

    /** Changed under its monitor. */
    private static final class Slot {
        private volatile Waiting first;
        private int length;

        private Waiting find(Object task, int place) {
            Waiting waiting = first;
            while (waiting != null && !(waiting.place == place && waiting.refersTo(task))) {
                waiting = waiting.next;
            }
            return waiting;
        }

        private void remove(Waiting waiting) {
            if (first == waiting) {
                first = waiting.next;
                return;
            }
            Waiting before = first;
            while (before.next != waiting) {
                before = before.next;
            }
            before.next = waiting.next;
        }
    }

    private Inheritance() {}

    /**
     * Notes that a task inherits these leases.
     *
     * @param place where it waits; told apart by identity
     * @param leases never changed; if empty, nothing is noted unless the task is in the table already
     * @return for {@link #settle(Object)} and {@link #drop(Object)}; null if nothing was noted
     */
    static Object hand(Object task, Object place, Lease[] leases) {
        if (leases.length == 0 && SIZE.get() == 0) {
            return null;
        }
        forgetCollected();
        int hash = System.identityHashCode(task);
        int where = System.identityHashCode(place);
        Slot slot = slot(hash);
        synchronized (slot) {
            Waiting waiting = slot.find(task, where);
            if (waiting == null) {
                if (leases.length == 0) {
                    return null;
                }
                waiting = new Waiting(task, hash, where);
                waiting.next = slot.first;
                slot.first = waiting;
            }
            if (slot.length >= SLOT_BOUND) {
                throw new IllegalStateException("too many tasks wait with leases of whoever submitted them");
            }
            Handed handed = new Handed(waiting, leases);
            handed.older = waiting.newest;
            if (waiting.newest == null) {
                waiting.oldest = handed;
            } else {
                waiting.newest.newer = handed;
            }
            waiting.newest = handed;
            waiting.count++;
            slot.length++;
            SIZE.incrementAndGet();
            LeaseContext.activate();
            return handed;
        }
    }

    /** Whoever submitted goes on: the task has been taken up, or is in the queue. */
    static void settle(Object handed) {
        if (handed instanceof Handed submission) {
            submission.settled = true;
        }
    }

    /** The task begins: what its oldest submission was handed. Null if nothing was noted. */
    static Lease[] take(Object task, Object place) {
        return take(task, place, null, false);
    }

    /**
     * The task begins, or never will.
     *
     * @param queue of the place, in which it was, and may be again; null if that is not known
     * @param past whether it went past the queue
     * @return what it was handed; null if nothing was noted
     */
    static Lease[] take(Object task, Object place, Collection<?> queue, boolean past) {
        if (SIZE.get() == 0) {
            return null;
        }
        Slot slot = slot(System.identityHashCode(task));
        if (slot.first == null) {
            return null;
        }
        int where = System.identityHashCode(place);
        int queued = UNKNOWN;
        int takes = 0;
        // What is a future runs once.
        if (queue != null && !(task instanceof Future)) {
            synchronized (slot) {
                Waiting waiting = slot.find(task, where);
                if (waiting == null) {
                    return null;
                }
                takes = waiting.takes;
            }
            // Not under the monitor: the queue may be the service's own.
            if (looksAt(slot, task, where, size(queue), past)) {
                queued = count(task, queue);
            }
        }
        synchronized (slot) {
            Waiting waiting = slot.find(task, where);
            if (waiting == null) {
                return null;
            }
            Handed next = waiting.oldest;
            if (queued != UNKNOWN) {
                waiting.unlooked = 0;
                if (queued >= waiting.count && takes == waiting.takes && !past) {
                    // It was there before the first that was noted.
                    return null;
                }
                forgetLost(slot, waiting, queued);
                next = waiting.oldest;
                for (int excess = waiting.count - queued - 1; excess > 0; excess--) {
                    next = next.newer;
                }
            }
            waiting.takes++;
            unlink(slot, next);
            return next.leases;
        }
    }

    private static boolean looksAt(Slot slot, Object task, int where, int size, boolean past) {
        synchronized (slot) {
            Waiting waiting = size == UNKNOWN ? null : slot.find(task, where);
            return waiting != null
                    && ((size <= LOOKS && !(past && waiting.count == 1))
                            || (waiting.count > 1 && ++waiting.unlooked >= size / LOOKS));
        }
    }

    private static int size(Collection<?> queue) {
        try {
            return queue.size();
        } catch (RuntimeException e) {
            return UNKNOWN;
        }
    }

    private static int settled(Waiting waiting) {
        int settled = 0;
        for (Handed handed = waiting.oldest; handed != null; handed = handed.newer) {
            settled += handed.settled ? 1 : 0;
        }
        return settled;
    }

    private static int count(Object task, Collection<?> queue) {
        int count = 0;
        try {
            for (Object queued : queue) {
                if (queued == task) {
                    count++;
                }
            }
            return count;
        } catch (RuntimeException e) {
            // A queue that cannot be looked at.
            return UNKNOWN;
        }
    }

    /** Submissions whose tasks have been taken out of the queue unseen. */
    private static void forgetLost(Slot slot, Waiting waiting, int queued) {
        int excess = settled(waiting) - queued - 1;
        long now = System.nanoTime();
        if (excess <= 0 || waiting.lost == 0) {
            waiting.lost = Math.max(excess, 0);
            waiting.lostSince = now;
            return;
        }
        waiting.lost = Math.min(waiting.lost, excess);
        if (now - waiting.lostSince > LOST) {
            for (Handed handed = waiting.oldest; waiting.lost > 0; handed = handed.newer) {
                if (handed.settled) {
                    unlink(slot, handed);
                    waiting.lost--;
                }
            }
        }
    }

    /** What {@link #take(Object, Object)} would return, and leaves it. */
    static Lease[] look(Object task, Object place) {
        if (SIZE.get() == 0) {
            return null;
        }
        Slot slot = slot(System.identityHashCode(task));
        synchronized (slot) {
            Waiting waiting = slot.find(task, System.identityHashCode(place));
            return waiting == null ? null : waiting.oldest.leases;
        }
    }

    /** A submission failed. Nothing happens if its task has begun. */
    static void drop(Object handed) {
        if (handed instanceof Handed submission) {
            Slot slot = slot(submission.waiting.hash);
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
        synchronized (slot) {
            Waiting waiting = slot.find(task, System.identityHashCode(place));
            if (waiting != null) {
                unlink(slot, waiting.newest);
            }
        }
    }

    /** Forgets tasks that will never run: nobody holds them any more. */
    static void forgetCollected() {
        for (Reference<?> collected = COLLECTED.poll(); collected != null; collected = COLLECTED.poll()) {
            Waiting waiting = (Waiting) collected;
            Slot slot = slot(waiting.hash);
            synchronized (slot) {
                while (waiting.oldest != null) {
                    unlink(slot, waiting.oldest);
                }
            }
        }
    }

    /** Whether nothing waits; reads one field. */
    static boolean isEmpty() {
        return SIZE.get() == 0;
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

    private static void unlink(Slot slot, Handed handed) {
        if (handed.gone) {
            return;
        }
        handed.gone = true;
        Waiting waiting = handed.waiting;
        if (handed.older == null) {
            waiting.oldest = handed.newer;
        } else {
            handed.older.newer = handed.newer;
        }
        if (handed.newer == null) {
            waiting.newest = handed.older;
        } else {
            handed.newer.older = handed.older;
        }
        waiting.count--;
        if (waiting.count == 0) {
            slot.remove(waiting);
        }
        slot.length--;
        SIZE.decrementAndGet();
        LeaseContext.deactivate();
    }
}
