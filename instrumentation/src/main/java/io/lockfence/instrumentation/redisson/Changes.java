/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** What changes a lock whoever holds it: expiry, forced unlock, deletion. It concerns the holds of the same client in this JVM. */
final class Changes {
    private Changes() {}

    /**
     * @param destroys whether success means that nobody holds the lock any more
     */
    private record Change(List<Hold> holds, boolean destroys) {}

    static Object destroying(Object lock) {
        List<Hold> holds = holdsOf(lock);
        return holds.isEmpty() ? null : new Change(holds, true);
    }

    /**
     * @param condition of {@code PEXPIRE}: empty, {@code NX}, {@code XX}, {@code GT} or {@code LT}
     */
    static Object expiring(Object object, long millis, String condition) {
        List<Hold> holds = holdsOf(object);
        if (holds.isEmpty()) {
            return null;
        }
        if (!condition.equals("NX") && !condition.equals("GT")) {
            long sentAt = System.nanoTime();
            holds.forEach(hold -> Holds.shortened(hold, sentAt, TimeUnit.MILLISECONDS.toNanos(millis)));
        }
        return new Change(holds, false);
    }

    static Object clearing(Object object) {
        List<Hold> holds = holdsOf(object);
        return holds.isEmpty() ? null : new Change(holds, false);
    }

    static void sent(Object entered, Object future) {
        if (entered instanceof Change change && future instanceof CompletionStage<?> stage) {
            stage.whenComplete((done, failure) -> answered(change, failure == null && Boolean.TRUE.equals(done)));
        }
    }

    private static void answered(Change change, boolean done) {
        for (Hold hold : change.holds) {
            if (change.destroys && done) {
                Holds.lost(hold, "this JVM unlocked it by force, or deleted it");
            } else if (hold.asks) {
                Holds.ask(hold).thenAccept(proof -> shorten(hold, proof));
            }
        }
    }

    /** The instant of an {@code expireAt} is one of the server's clock, which is known only now. */
    private static void shorten(Hold hold, Proof proof) {
        if (proof.held() && Holds.isCurrent(hold)) {
            Seams.leaseEvents().shortened(hold.owner, proof.sentAt(), proof.timeLeftNanos());
        }
    }

    private static List<Hold> holdsOf(Object object) {
        if (Holds.isEmpty()) {
            return List.of();
        }
        LockType type = LockType.of(object);
        if (!type.isFenceable()) {
            return List.of();
        }
        String field = type.field(object, 0);
        return Holds.of(type.rawName(object), field.substring(0, field.length() - 1));
    }
}
