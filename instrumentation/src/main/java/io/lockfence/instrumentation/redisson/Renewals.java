/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The watchdog's renewals as they really happen: their send time, and whose of the locks the server still had. */
final class Renewals {
    private Renewals() {}

    /** One request; {@code holds} are those of ours that it renews. */
    private record Renewal(long sentAt, long grantedNanos, List<Hold> holds) {}

    static Object ofOneLock(Object lock, long threadId) {
        if (Holds.isEmpty() && !Unknowns.possible()) {
            return null;
        }
        long sentAt = System.nanoTime();
        LockType type = LockType.of(lock);
        if (!type.isFenceable()) {
            return null;
        }
        String owner = Holds.owner(type.rawName(lock), type.field(lock, threadId));
        Hold hold = Holds.of(owner);
        if (hold == null) {
            if (Unknowns.is(owner)) {
                Unknowns.tell(owner, type.name(lock));
            }
            return null;
        }
        long lease = type.renewalLeaseMillis(lock);
        return new Renewal(sentAt, TimeUnit.MILLISECONDS.toNanos(lease), List.of(hold));
    }

    /**
     * Recognises a renewal among all scripts: it sets expiries and counts nothing, its arguments are the lease time and then one owner
     * for each key.
     */
    static Object ofManyLocks(String script, List<?> keys, Object[] arguments) {
        if ((Holds.isEmpty() && !Unknowns.possible())
                || keys == null
                || arguments == null
                || arguments.length != keys.size() + 1
                || !(arguments[0] instanceof Number lease)
                || !script.contains("pexpire")
                || script.contains("incr")
                || script.contains("hincrby")) {
            return null;
        }
        long sentAt = System.nanoTime();
        List<Hold> holds = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            String rawName = String.valueOf(keys.get(i));
            String field = String.valueOf(arguments[i + 1]);
            String owner = Holds.owner(rawName, field);
            Hold hold = Holds.of(owner);
            if (hold != null) {
                holds.add(hold);
            } else if (field.indexOf(':') > 0 && Unknowns.is(owner)) {
                // Under its name at the server: the service's own is not known here.
                Unknowns.tell(owner, rawName);
            }
        }
        return holds.isEmpty() ? null : new Renewal(sentAt, TimeUnit.MILLISECONDS.toNanos(lease.longValue()), holds);
    }

    static void sent(Object entered, Object future) {
        if (entered instanceof Renewal renewal && future instanceof CompletionStage<?> stage) {
            stage.whenComplete((answer, failure) -> answered(renewal, answer, failure));
        }
    }

    private static void answered(Renewal renewal, Object answer, Throwable failure) {
        if (failure != null) {
            return;
        }
        for (Hold hold : renewal.holds) {
            if (answer instanceof List<?> names ? names.contains(hold.rawName) : Boolean.TRUE.equals(answer)) {
                if (renewal.grantedNanos > 0) {
                    Holds.renewed(hold, renewal.sentAt, renewal.grantedNanos);
                }
            } else {
                Holds.lost(hold, "Redis had no hold of it by this owner when the watchdog renewed it");
            }
        }
    }
}
