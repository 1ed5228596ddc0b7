/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.HeldLock;

/** How a service gives back what it holds: the lease ends before the request is sent, since its answer may never come. */
final class Releases {
    private Releases() {}

    static void releasing(Put put) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null || none()) {
            return;
        }
        String owner = Holds.owner(put.key(), put.releases());
        if (!Holds.releasing(owner) && Seams.blindUntil() > 0 && Holds.watched(put.key())) {
            events.unknown(ConsulLibrary.NAME, put.key(), owner);
        }
    }

    /** With a session goes all that was acquired with it. */
    static void destroying(String session) {
        if (session == null) {
            return;
        }
        if (Seams.leaseEvents() != null && !none()) {
            for (HeldLock held : Holds.ofSession(session)) {
                Holds.releasing(held.owner());
            }
        }
        Sessions.forget(session);
    }

    /**
     * Keys are about to be deleted, which gives them back: the next session may acquire at once.
     *
     * @param prefix whether all keys go that begin so
     */
    static void deleting(Connection connection, String key, boolean prefix) {
        if (key == null || Seams.leaseEvents() == null || none()) {
            return;
        }
        for (HeldLock held : Holds.ofKey(connection, Put.plain(key), prefix)) {
            Holds.releasing(held.owner());
        }
    }

    /** Keys may have been deleted, or been given back. */
    static void touched(String key, boolean prefix) {
        if (key != null && !none()) {
            Holds.touched(Put.plain(key), prefix);
        }
    }

    /** Nothing is held, nor was before Lockfence came. */
    private static boolean none() {
        return LeaseContext.idle() && Seams.blindUntil() == 0;
    }
}
