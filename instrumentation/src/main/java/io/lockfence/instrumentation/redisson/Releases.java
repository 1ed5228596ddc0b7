/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Unlocks: the lease ends before the request is sent, since a release can fail half-way. */
final class Releases {
    private Releases() {}

    /**
     * @param hold null if it is none of ours
     * @param unknown the lock's name if its hold, if there is one, is older than the agent; else null
     */
    private record Release(String owner, Hold hold, boolean last, String unknown) {}

    static Object releasing(Object lock, long threadId) {
        LeaseEvents events = Seams.leaseEvents();
        LockType type = LockType.of(lock);
        if (events == null || !type.isFenceable()) {
            return null;
        }
        String name = type.name(lock);
        // What was taken under a rule ends, even if the rules name it no more.
        boolean watched = events.watches(RedissonLibrary.NAME, name);
        if (!watched && Holds.isEmpty()) {
            return null;
        }
        String owner = Holds.owner(type.rawName(lock), type.field(lock, threadId));
        Hold hold = Holds.of(owner);
        if (!watched && hold == null) {
            return null;
        }
        boolean last = events.releasing(owner);
        if (hold == null) {
            return Unknowns.is(owner) ? new Release(owner, null, true, name) : null;
        }
        if (last) {
            Holds.remove(hold);
            // Where the lease is on this thread only while a continuation runs, the agent does not know of it.
            LeaseContext.ofCurrentThread().detach(hold.lease);
        } else {
            hold.left();
            // The server sets the time left anew, to the lock object's own lease time.
            Holds.shortened(hold, System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(type.unlockLeaseMillis(lock)));
        }
        return new Release(owner, hold, last, null);
    }

    /** The service was told that the owner holds nothing. */
    static void told(Object lock, long threadId) {
        LeaseEvents events = Seams.leaseEvents();
        LockType type = LockType.of(lock);
        if (events != null && type.isFenceable() && events.watches(RedissonLibrary.NAME, type.name(lock))) {
            events.told(Holds.owner(type.rawName(lock), type.field(lock, threadId)));
        }
    }

    static void sent(Object entered, Object future) {
        if (entered instanceof Release release && future instanceof CompletionStage<?> stage) {
            stage.whenComplete((nothing, failure) -> answered(release, failure));
        }
    }

    private static void answered(Release release, Throwable failure) {
        if (release.unknown != null) {
            if (failure == null) {
                Unknowns.tell(release.owner, release.unknown);
            }
        } else if (Acquires.unwrap(failure) instanceof IllegalMonitorStateException) {
            String why = "Redis had no hold of it by this owner when it was unlocked";
            if (!release.last) {
                Holds.lost(release.hold, why);
            } else if (Holds.of(release.owner) == null) {
                Seams.leaseEvents().lost(release.owner, why);
            }
        } else if (!release.last && release.hold.asks) {
            var unused = Holds.ask(release.hold);
        }
    }
}
