/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

/** {@code InterProcessMutex}: also the write lock of a pair, and what {@code LeaderSelector} and Spring's lock registry are made of. */
final class Mutexes {
    private static final String STANDARD_DRIVER =
            "org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver";
    private static final String PAIR = "org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock$";
    private static final String READ = "__READ__";

    private Mutexes() {}

    /** The current thread has acquired it, for the first time or once more. */
    static void acquired(Object mutex) {
        if (Semaphores.within()) {
            return;
        }
        Hold hold = null;
        try {
            Recipes.Mutex parts = Recipes.Mutex.of(mutex);
            Session session = parts.session(mutex);
            String lock = session.fullPath(parts.path(mutex));
            if (!Holds.watched(lock)) {
                return;
            }
            hold = new Hold(lock, session.fullPath(parts.node(mutex)), LeaseContext.ofCurrentThread(), true);
            String unfenced = unfenced(parts, mutex);
            if (unfenced != null) {
                Seams.leaseEvents().unsupported(CuratorLibrary.NAME, unfenced, lock);
            } else if (parts.count(mutex) > 1) {
                Holds.reentered(hold);
            } else {
                Holds.acquired(session, hold);
            }
        } catch (Throwable t) {
            Holds.failed(hold, t);
        }
    }

    /** Why its holds are not fenced; null if they are. */
    private static String unfenced(Recipes.Mutex parts, Object mutex) throws Throwable {
        if (parts.nodePrefix(mutex).equals(READ)) {
            return "InterProcessReadWriteLock.readLock()";
        }
        String driver = parts.driver(mutex);
        // Another one may order its holders otherwise than by their nodes.
        return driver.equals(STANDARD_DRIVER) || driver.startsWith(PAIR)
                ? null
                : "InterProcessMutex with the driver " + driver;
    }

    /** The current thread is about to release it, wholly or once. */
    static void releasing(Object mutex) {
        if (Holds.noneToRelease() || Semaphores.within()) {
            return;
        }
        try {
            Recipes.Mutex parts = Recipes.Mutex.of(mutex);
            String node = parts.node(mutex);
            if (node != null) {
                Session session = parts.session(mutex);
                Holds.releasing(session.fullPath(parts.path(mutex)), session.fullPath(node));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
