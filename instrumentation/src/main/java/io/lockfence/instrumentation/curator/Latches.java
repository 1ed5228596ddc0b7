/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;

/** {@code LeaderLatch}: leadership of a process, which no thread owns. */
final class Latches {
    /** The node that a latch leads with. */
    private static final Beside<Object, String> LEADING = new Beside<>();

    private Latches() {}

    /** What the latch believes changes, on a thread of the client's; its listeners have not been told. */
    static void leadership(Object latch, boolean leads) {
        try {
            if (leads) {
                gained(latch);
            } else {
                String node = left(latch);
                if (node != null) {
                    Holds.lost(node, "its latch has lost the leadership");
                    Holds.releasing(null, node);
                }
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static void gained(Object latch) throws Throwable {
        Recipes recipes = Recipes.of(latch);
        Session session = recipes.latchSession(latch);
        String lock = session.fullPath(recipes.latchPath(latch));
        LeaseEvents events = Seams.leaseEvents();
        if (!Holds.watched(lock)) {
            return;
        }
        if (!events.coversProcess(CuratorLibrary.NAME, lock)) {
            events.unsupported(CuratorLibrary.NAME, "LeaderLatch without `scope: process` in its rule", lock);
            return;
        }
        String path = recipes.ourPath(latch);
        if (path == null) {
            return;
        }
        String node = session.fullPath(path);
        if (!node.equals(LEADING.get(latch))) {
            LEADING.put(latch, node);
            Holds.acquired(session, lock, node, null, false);
        }
    }

    /** The service closes the latch: its node is about to be deleted. */
    static void closing(Object latch) {
        try {
            String node = left(latch);
            if (node != null) {
                Holds.releasing(null, node);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static String left(Object latch) {
        if (LEADING.isEmpty()) {
            return null;
        }
        String node = LEADING.get(latch);
        LEADING.remove(latch);
        return node;
    }
}
