/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Holds that are older than the agent, or than the rule that names their lock: such a hold is not among {@link Holds}, and its owner was never seen to
 * take a lock. What was seen is remembered by a bit for each owner: two owners may share one, then an old hold passes for one that was left behind by a failed
 * release, and its re-entry is fenced from there on; never the other way round. Thread safe.
 */
final class Unknowns {
    private static final int BITS = 1 << 16;

    private static volatile Unknowns current = new Unknowns(0);

    private final int blindUntil;
    private final AtomicLongArray seen = new AtomicLongArray(BITS / Long.SIZE);

    private Unknowns(int blindUntil) {
        this.blindUntil = blindUntil;
    }

    /** Whether there may be such holds at all. */
    static boolean possible() {
        return Seams.blindUntil() > 0;
    }

    /** Whether a hold of this owner, which is none of ours, is one. */
    static boolean is(String owner) {
        return possible() && Holds.of(owner) == null && !current().hasSeen(owner);
    }

    /** The owner has taken the lock anew. */
    static void taken(String owner) {
        if (possible()) {
            current().see(owner);
        }
    }

    /** Tells the agent of a hold that is older than it, if a rule names its lock. */
    static void tell(String owner, String lock) {
        LeaseEvents events = Seams.leaseEvents();
        if (events != null && events.watches(RedissonLibrary.NAME, lock)) {
            events.unknown(RedissonLibrary.NAME, lock, owner);
        }
    }

    private static Unknowns current() {
        Unknowns known = current;
        return known.blindUntil == Seams.blindUntil() ? known : renewed();
    }

    private static synchronized Unknowns renewed() {
        if (current.blindUntil != Seams.blindUntil()) {
            current = new Unknowns(Seams.blindUntil());
        }
        return current;
    }

    private boolean hasSeen(String owner) {
        int bit = bit(owner);
        return (seen.get(bit / Long.SIZE) & 1L << bit) != 0;
    }

    private void see(String owner) {
        int bit = bit(owner);
        seen.getAndUpdate(bit / Long.SIZE, word -> word | 1L << bit);
    }

    private static int bit(String owner) {
        int hash = owner.hashCode();
        return (hash ^ hash >>> 16) & (BITS - 1);
    }
}
