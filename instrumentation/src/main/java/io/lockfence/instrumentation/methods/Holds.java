/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The holds of this JVM by rule and name, newest first. The locks themselves cannot be asked who holds them: a thread that takes a lock which it still
 * holds has entered it once more, and the same lease goes on. Bounded by what is held: holds that are over go when as many have been added. Thread
 * safe.
 */
final class Holds {
    private static final AtomicLong OWNERS = new AtomicLong();
    private static final int FEW = 64;
    private static final Deque<Hold> NO_HOLDS = new ArrayDeque<>(0);

    private record Key(LockMethods lock, String name) {}

    private final Map<Key, Deque<Hold>> byName = new HashMap<>();
    private int added;
    private int size;

    /**
     * A call has taken the lock.
     *
     * @param context of the thread that it belongs to; null for none
     * @param background whether it completed behind the caller's back: that the caller has entered a hold once more cannot be told then
     * @param failure why its time or token could not be read; null if they were
     */
    Lease taken(
            LockMethods lock,
            String name,
            LeaseContext context,
            boolean background,
            long sentAt,
            long grantedNanos,
            long token,
            String failure) {
        if (!lock.process()) {
            return begin(lock, name, context, background, sentAt, grantedNanos, token, failure);
        }
        // Two threads that ask at once are told alike: the second finds what the first has begun.
        synchronized (lock) {
            return failure == null && goesOn(lock, name, sentAt, grantedNanos, token)
                    ? null
                    : begin(lock, name, null, background, sentAt, grantedNanos, token, failure);
        }
    }

    private Lease begin(
            LockMethods lock,
            String name,
            LeaseContext context,
            boolean background,
            long sentAt,
            long grantedNanos,
            long token,
            String failure) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null) {
            return null;
        }
        Hold hold;
        Hold superseded = null;
        synchronized (this) {
            Hold held = own(lock, name, context);
            boolean alive = held != null && held.alive();
            if (alive && !background && !lock.process() && failure == null && held.token == token) {
                hold = held;
                hold.count++;
            } else {
                // One that has run out, or cannot be the same, has its place taken by the new one (DESIGN P1).
                boolean inPlace = held != null && !lock.process() && (!alive || background || !lock.released());
                superseded = alive && !inPlace ? held : null;
                hold = new Hold(lock, name, inPlace ? held.owner : owner(lock, name), context, sentAt, token);
                if (held != null && (lock.process() || !lock.released())) {
                    remove(held);
                }
                add(hold);
            }
        }
        if (superseded != null) {
            events.lost(superseded.owner, "its owner has taken the lock again, and was given another token");
        }
        Proof proof = failure == null ? new Proof(sentAt, true, token, grantedNanos, hold.count) : null;
        Coordinator coordinator = lock.token() == null ? NoNumbers.ISSUED_BY_CLAIM : NoNumbers.FROM_CALLS;
        Lease lease = events.acquired(new Acquisition(
                lock.library(), name, hold.owner, context, true, proof, failure, lock.lease() != null, coordinator));
        boolean releasedBefore;
        synchronized (this) {
            if (lease != null) {
                hold.lease = lease;
            } else if (hold.lease == null) {
                remove(hold);
            }
            releasedBefore = hold.releasedBefore;
        }
        if (releasedBefore) {
            events.releasing(hold.owner);
        }
        return lease;
    }

    /**
     * A process that asks again for what it holds, and is told that it does, goes on: its leadership is not entered twice, and has more time now.
     *
     * @return false if it does not hold it, or holds it anew
     */
    private boolean goesOn(LockMethods lock, String name, long sentAt, long grantedNanos, long token) {
        Hold held;
        synchronized (this) {
            held = own(lock, name, null);
            if (held == null || !held.alive() || held.token != token) {
                return false;
            }
        }
        prolonged(held, sentAt, grantedNanos);
        return true;
    }

    private static String owner(LockMethods lock, String name) {
        return lock.library() + "|" + name + "|" + OWNERS.incrementAndGet();
    }

    /**
     * The hold that a renewal is about: that of its thread, else the newest of that name, since a watchdog has a thread of its own.
     *
     * @param sentAt when the renewal was sent; what was taken later is not meant
     * @return null if there is none
     */
    synchronized Hold prolongable(LockMethods lock, String name, LeaseContext context, long sentAt) {
        Hold newest = null;
        for (Hold hold : byName.getOrDefault(new Key(lock, name), NO_HOLDS)) {
            if ((hold.lease == null || hold.alive()) && hold.sentAt - sentAt <= 0) {
                if (hold.isOf(context)) {
                    return hold;
                }
                newest = newest == null ? hold : newest;
            }
        }
        return newest;
    }

    /** A call has prolonged the lock. Answers may come out of order: none that was sent before another that counted takes time away. */
    void prolonged(Hold hold, long sentAt, long grantedNanos) {
        Lease lease;
        boolean late;
        synchronized (this) {
            lease = hold.lease;
            late = sentAt - hold.prolongedAt < 0;
            hold.prolongedAt = late ? hold.prolongedAt : sentAt;
        }
        LeaseEvents events = Seams.leaseEvents();
        if (!late
                && lease != null
                && Deadline.end(sentAt, grantedNanos) - lease.deadline().at() < 0) {
            events.shortened(hold.owner, sentAt, grantedNanos);
        } else {
            events.renewed(hold.owner, sentAt, grantedNanos);
        }
    }

    /** Whether locks may be held that were taken before the methods were woven: in a JVM that was attached to. */
    static boolean olderPossible() {
        return Seams.blindUntil() > 0;
    }

    /** A call has prolonged or given back a lock of which no hold is known. */
    void unexplained(LockMethods lock, String name) {
        LeaseEvents events = Seams.leaseEvents();
        if (events != null && olderPossible()) {
            events.unknown(lock.library(), name, lock.library() + "|" + name + "|older " + Seams.blindUntil());
        }
    }

    /** A call has not taken the lock. Where its thread holds it all the same, a release may follow that gives nothing back. */
    synchronized void failed(LockMethods lock, String name, LeaseContext context) {
        Hold held = own(lock, name, context);
        if (held != null && held.alive()) {
            held.failed++;
        }
    }

    /**
     * The thread's living hold, if the release that is about to be sent may belong to an attempt that failed: then the answer tells.
     *
     * @return null if there is none, or if the release is the hold's own
     */
    synchronized Hold undecided(LockMethods lock, String name, LeaseContext context) {
        Hold held = own(lock, name, context);
        if (held == null || held.failed == 0 || !held.alive()) {
            return null;
        }
        held.failed--;
        return held;
    }

    /**
     * A call is about to give the lock back. A thread without a hold of its own gives nothing back: services call release in a finally block whether or not
     * they got the lock.
     *
     * @return whether the thread had a hold
     */
    boolean releasing(LockMethods lock, String name, LeaseContext context) {
        Hold hold;
        synchronized (this) {
            hold = own(lock, name, context);
        }
        if (hold == null) {
            return false;
        }
        released(hold);
        return true;
    }

    /** The lock is given back, or is about to be. */
    void released(Hold hold) {
        if (hold.lock.process()) {
            synchronized (hold.lock) {
                leave(hold);
            }
        } else {
            leave(hold);
        }
    }

    private void leave(Hold hold) {
        synchronized (this) {
            hold.count--;
            if (hold.count <= 0) {
                remove(hold);
            }
        }
        if (!Seams.leaseEvents().releasing(hold.owner)) {
            synchronized (this) {
                hold.releasedBefore = hold.lease == null;
            }
        }
    }

    /**
     * The one hold of that name that is alive, whoever's it is; null if there is none, or several. Asked for before a lock is given back by a thread that has
     * no hold: by the time of the answer, the lock may have been taken anew.
     */
    synchronized Hold onlyLiving(LockMethods lock, String name) {
        Hold only = null;
        for (Hold hold : byName.getOrDefault(new Key(lock, name), NO_HOLDS)) {
            if (hold.alive()) {
                if (only != null) {
                    return null;
                }
                only = hold;
            }
        }
        return only;
    }

    private Hold own(LockMethods lock, String name, LeaseContext context) {
        for (Hold hold : byName.getOrDefault(new Key(lock, name), NO_HOLDS)) {
            if (hold.isOf(context) && !hold.over()) {
                return hold;
            }
        }
        return null;
    }

    private void add(Hold hold) {
        byName.computeIfAbsent(new Key(hold.lock, hold.name), key -> new ArrayDeque<>(2))
                .addFirst(hold);
        size++;
        added++;
        if (added > Math.max(FEW, size)) {
            purge();
        }
    }

    private void remove(Hold hold) {
        Key key = new Key(hold.lock, hold.name);
        Deque<Hold> holds = byName.get(key);
        if (holds != null && holds.remove(hold)) {
            size--;
            if (holds.isEmpty()) {
                byName.remove(key);
            }
        }
    }

    private void purge() {
        for (Iterator<Deque<Hold>> all = byName.values().iterator(); all.hasNext(); ) {
            Deque<Hold> holds = all.next();
            int before = holds.size();
            holds.removeIf(Hold::over);
            size -= before - holds.size();
            if (holds.isEmpty()) {
                all.remove();
            }
        }
        added = 0;
    }
}
