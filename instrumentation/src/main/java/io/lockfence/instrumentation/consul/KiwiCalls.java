/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What calls of kiwiproject's client mean for locks, beside acquisitions and releases. */
final class KiwiCalls {
    private static final List<String> LOCKING = List.of("lock", "unlock");
    private static final List<String> DELETING = List.of("delete", "delete-cas");
    private static final List<String> DELETING_ALL = List.of("delete-tree");

    /** Keys that a call may have changed the owner of. */
    private record Touched(List<String> keys, List<String> prefixes) {}

    private KiwiCalls() {}

    /** Returns what {@link #touched} is given. */
    static Object deleting(Object client, String key, Object options) throws Throwable {
        boolean prefix = Kiwi.recurses(client, options);
        if (!Kiwi.isConditional(client, options)) {
            Releases.deleting(new Kiwi(client), key, prefix);
        }
        return key == null ? null : new Touched(prefix ? List.of() : List.of(key), prefix ? List.of(key) : List.of());
    }

    /** A transaction may acquire and release: that is reported, and not fenced. Returns what {@link #touched} is given. */
    static Object transacting(Object client, Object operations) throws Throwable {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null || !(operations instanceof Object[] all)) {
            return null;
        }
        List<String> locked = Kiwi.keysOf(client, all, LOCKING);
        for (String key : locked) {
            if (Holds.watched(key)) {
                events.unsupported(ConsulLibrary.NAME, "Lock, by a transaction that locks or unlocks,", key);
            }
        }
        List<String> keys = new ArrayList<>(locked);
        keys.addAll(Kiwi.keysOf(client, all, DELETING));
        List<String> prefixes = Kiwi.keysOf(client, all, DELETING_ALL);
        return keys.isEmpty() && prefixes.isEmpty() ? null : new Touched(keys, prefixes);
    }

    /** The call has returned, or failed. */
    static void touched(Object entered) {
        if (entered instanceof Touched touched) {
            touched.keys().forEach(key -> Releases.touched(key, false));
            touched.prefixes().forEach(key -> Releases.touched(key, true));
        }
    }

    static void created(Object client, Object wanted, long sentAt, Object response) throws Throwable {
        if (response != null && wanted != null) {
            Sessions.created(Kiwi.createdId(client, response), sentAt, Kiwi.wantedTtl(client, wanted));
        }
    }

    /** @param information an optional {@code SessionInfo} */
    static void renewed(Object client, String session, long sentAt, Object information, Throwable failure)
            throws Throwable {
        if (failure != null) {
            Sessions.failed(session, failure);
        } else if (session != null && information instanceof Optional<?> said && said.isPresent()) {
            Sessions.renewed(session, sentAt, Kiwi.ttl(client, said));
        }
    }
}
