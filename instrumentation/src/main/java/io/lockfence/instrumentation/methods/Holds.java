/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
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

    private record Key(LockMethods lock, String name) {}

    private final Map<Key, Deque<Hold>> byName = new HashMap<>();
    private int added;
    private int size;

    /**
     * A call has taken the lock.
     *
     * @param context of the thread that it belongs to; null for none
     * @param failure why its time or token could not be read; null if they were
     */
    Lease taken(
            LockMethods lock,
            String name,
            LeaseContext context,
            long sentAt,
            long grantedNanos,
            long token,
            String failure) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null) {
            return null;
        }
        if (lock.process() && failure == null && goesOn(lock, name, sentAt, grantedNanos, token)) {
            return null;
        }
        Hold hold;
        Hold superseded = null;
        synchronized (this) {
            Hold held = own(lock, name, context);
            boolean same = !lock.process() && held != null && failure == null && held.alive() && held.token == token;
            if (same) {
                hold = held;
                hold.count++;
            } else if (held != null && !lock.process() && !lock.released()) {
                // A run-once marker that nothing gives back is taken again.
                hold = new Hold(lock, name, held.owner, context, token);
                remove(held);
                add(hold);
            } else {
                superseded = held != null && held.alive() ? held : null;
                hold = new Hold(lock, name, owner(lock, name), lock.process() ? null : context, token);
                if (held != null && lock.process()) {
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
        synchronized (this) {
            hold.lease = lease;
            if (lease == null) {
                remove(hold);
            }
        }
        return lease;
    }

    /**
     * A process that asks again for what it holds, and is told that it does, goes on: its leadership is not entered twice, and has more time now.
     *
     * @return false if it does not hold it, or holds it anew
     */
    private boolean goesOn(LockMethods lock, String name, long sentAt, long grantedNanos, long token) {
        synchronized (this) {
            Hold held = own(lock, name, null);
            if (held == null || !held.alive() || held.token != token) {
                return false;
            }
        }
        prolonged(lock, name, null, sentAt, grantedNanos);
        return true;
    }

    private static String owner(LockMethods lock, String name) {
        return lock.library() + "|" + name + "|" + OWNERS.incrementAndGet();
    }

    /** A call has prolonged the lock: that of its thread, else the only one of that name, since a watchdog has a thread of its own. */
    void prolonged(LockMethods lock, String name, LeaseContext context, long sentAt, long grantedNanos) {
        Hold hold;
        synchronized (this) {
            hold = own(lock, name, context);
            if (hold == null || !hold.alive()) {
                hold = onlyLiving(lock, name);
            }
        }
        if (hold != null) {
            LeaseEvents events = Seams.leaseEvents();
            if (io.lockfence.bootstrap.Deadline.end(sentAt, grantedNanos)
                            - hold.lease.deadline().at()
                    < 0) {
                events.shortened(hold.owner, sentAt, grantedNanos);
            } else {
                events.renewed(hold.owner, sentAt, grantedNanos);
            }
        }
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
            if (hold == null) {
                return false;
            }
            hold.count--;
            if (hold.count <= 0) {
                remove(hold);
            }
        }
        Seams.leaseEvents().releasing(hold.owner);
        return true;
    }

    /**
     * The one hold of that name that is alive, whoever's it is; null if there is none, or several. Asked for before a lock is given back by a thread that has
     * no hold: by the time of the answer, the lock may have been taken anew.
     */
    synchronized Hold onlyLiving(LockMethods lock, String name) {
        Hold only = null;
        Deque<Hold> holds = byName.get(new Key(lock, name));
        if (holds != null) {
            for (Hold hold : holds) {
                if (hold.alive()) {
                    if (only != null) {
                        return null;
                    }
                    only = hold;
                }
            }
        }
        return only;
    }

    /** A call on another thread than the hold's has given the lock back, and was told that it did. */
    void releasedElsewhere(Hold hold) {
        synchronized (this) {
            hold.count--;
            if (hold.count <= 0) {
                remove(hold);
            }
        }
        Seams.leaseEvents().releasing(hold.owner);
    }

    private Hold own(LockMethods lock, String name, LeaseContext context) {
        Deque<Hold> holds = byName.get(new Key(lock, name));
        if (holds != null) {
            for (Hold hold : holds) {
                if (hold.isOf(context) && !hold.over()) {
                    return hold;
                }
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
