/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Workers;

/**
 * {@code LeaderLatch}: leadership of a process, which no thread owns. A term is the time of one node: what a latch says of itself in between comes too late, or is
 * taken back when its client is connected again. The lease stays until the latch is closed, or leads with another node: a leader that was deposed must not go on.
 */
final class Latches {
    private static final long AGAIN_MILLIS = 1_000;

    /** The node that a latch leads with, or led with last. */
    private static final Beside<Object, String> LEADING = new Beside<>();

    private Latches() {}

    /** The latch leads, on a thread of the client's; its listeners have not been told. May be called again and again. */
    static void leads(Object latch) {
        Hold hold = null;
        try {
            Recipes.Latch parts = Recipes.Latch.of(latch);
            Session session = parts.session(latch);
            String lock = session.fullPath(parts.path(latch));
            LeaseEvents events = Seams.leaseEvents();
            if (!Holds.watched(lock)) {
                return;
            }
            if (!events.coversProcess(CuratorLibrary.NAME, lock)) {
                events.unsupported(CuratorLibrary.NAME, "LeaderLatch without `scope: process` in its rule", lock);
                return;
            }
            String path = parts.node(latch);
            String node = path == null ? null : session.fullPath(path);
            String before = LEADING.isEmpty() ? null : LEADING.get(latch);
            if (node != null && !node.equals(before)) {
                LEADING.put(latch, node);
                hold = new Hold(lock, node, null, false);
                begin(latch, session, hold);
                // Its lease has ended with the beginning of this one.
                Holds.forget(before);
            }
        } catch (Throwable t) {
            Holds.failed(hold, t);
        }
    }

    /** A term may last for days: where ZooKeeper does not answer now, it is asked again. */
    private static void begin(Object latch, Session session, Hold hold) {
        boolean proved = Holds.acquired(session, hold);
        if (!hold.node().equals(LEADING.get(latch))) {
            // Closed meanwhile, by another thread, which has found no lease.
            Holds.releasing(null, hold.node());
        } else if (!proved) {
            Holds.later(
                    () -> Workers.onWorker(() -> again(latch, session, hold)).run(), AGAIN_MILLIS);
        }
    }

    private static void again(Object latch, Session session, Hold hold) {
        try {
            if (hold.node().equals(LEADING.get(latch))) {
                begin(latch, session, hold);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The latch is about to delete its node, or has none yet. */
    static void givesUpNode(Object latch) {
        if (LEADING.isEmpty()) {
            return;
        }
        try {
            String node = LEADING.get(latch);
            if (node != null) {
                Holds.lost(node, "its latch gave up the leadership");
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The service closes the latch. */
    static void closing(Object latch) {
        if (LEADING.isEmpty()) {
            return;
        }
        try {
            String node = LEADING.get(latch);
            LEADING.remove(latch);
            if (node != null) {
                Holds.releasing(null, node);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
