/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The holds of this JVM that have a lease, by owner. Bounded by the locks that are held: a hold goes at its last unlock, at its loss, or
 * a minute after its deadline where the service never unlocks.
 *
 * <p>Also the net below the renewal hook: a hold that the watchdog should keep, but of which no renewal was seen for two thirds of its
 * time, is asked for at the server. With the hook at work that is never so.
 */
final class Holds {
    private static final Map<String, Hold> BY_OWNER = new ConcurrentHashMap<>();
    private static final AtomicBoolean LOOKING = new AtomicBoolean();
    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long SELDOM_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long OFTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Holds() {}

    static boolean isEmpty() {
        return BY_OWNER.isEmpty();
    }

    /** The owner's hold, or null. */
    static Hold of(String owner) {
        return BY_OWNER.get(owner);
    }

    static String owner(String rawName, String field) {
        return rawName + '|' + field;
    }

    static void put(Hold hold) {
        BY_OWNER.put(hold.owner, hold);
        look(hold);
    }

    static boolean isCurrent(Hold hold) {
        return BY_OWNER.get(hold.owner) == hold;
    }

    static void remove(Hold hold) {
        BY_OWNER.remove(hold.owner, hold);
    }

    /**
     * All holds of a lock by owners of one client.
     *
     * @param client what all owners of the client begin with
     */
    static List<Hold> of(String rawName, String client) {
        return BY_OWNER.values().stream()
                .filter(hold -> hold.rawName.equals(rawName) && hold.field.startsWith(client))
                .toList();
    }

    /** The server said that the owner holds nothing. */
    static void lost(Hold hold, String why) {
        if (BY_OWNER.remove(hold.owner, hold)) {
            Seams.leaseEvents().lost(hold.owner, why);
        }
    }

    /** A renewal that was sent at {@code sentAt} was confirmed. */
    static void renewed(Hold hold, long sentAt, long grantedNanos) {
        if (isCurrent(hold)) {
            hold.granted(grantedNanos);
            Seams.leaseEvents().renewed(hold.owner, sentAt, grantedNanos);
        }
    }

    /** A request sent at {@code sentAt} may set the time left to less. */
    static void shortened(Hold hold, long sentAt, long grantedNanos) {
        Seams.leaseEvents().shortened(hold.owner, sentAt, grantedNanos);
    }

    /** Takes the time left from the server, after something that may have changed it. */
    static CompletionStage<Proof> ask(Hold hold) {
        return hold.coordinator.ask().whenComplete((proof, failure) -> {
            if (failure != null) {
                return;
            }
            if (!proof.held()) {
                lost(hold, "Redis has no hold of it by this owner any more");
            } else if (isCurrent(hold)) {
                Seams.leaseEvents().renewed(hold.owner, proof.sentAt(), proof.timeLeftNanos());
            }
        });
    }

    private static void probe(Hold hold) {
        long believed = hold.lease.deadline().at();
        ask(hold).whenComplete((proof, failure) -> {
            hold.endProbe();
            if (failure == null
                    && proof.held()
                    && Deadline.end(proof.sentAt(), proof.timeLeftNanos()) - believed > hold.grantedNanos() / 4) {
                Seams.leaseEvents()
                        .degraded(
                                RedissonLibrary.NAME,
                                "a lock was renewed and it was not seen; the server is asked for the time left instead");
            }
        });
    }

    private static void look(Hold hold) {
        if (LOOKING.compareAndSet(false, true)) {
            schedule(interval(hold));
        }
    }

    private static void schedule(long nanos) {
        var unused = Background.TIMER.schedule(Holds::lookAtAll, nanos, TimeUnit.NANOSECONDS);
    }

    private static void lookAtAll() {
        long next = SELDOM_NANOS;
        try {
            for (Hold hold : BY_OWNER.values()) {
                long left = hold.lease.deadline().left();
                if (hold.lease.released() || left < -FORGET_NANOS) {
                    remove(hold);
                } else if (!hold.explicit() && left > 0) {
                    next = Math.min(next, interval(hold));
                    if (hold.asks && left < hold.grantedNanos() / 3 && hold.beginProbe()) {
                        probe(hold);
                    }
                }
            }
        } catch (RuntimeException e) {
            Seams.fault(e);
        }
        if (!BY_OWNER.isEmpty()) {
            schedule(next);
            return;
        }
        LOOKING.set(false);
        for (Hold late : BY_OWNER.values()) {
            look(late);
            return;
        }
    }

    private static long interval(Hold hold) {
        return Math.max(OFTEN_NANOS, Math.min(SELDOM_NANOS, hold.grantedNanos() / 12));
    }
}
