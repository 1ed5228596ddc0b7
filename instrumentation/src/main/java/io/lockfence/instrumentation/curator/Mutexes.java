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
        try {
            Recipes recipes = Recipes.of(mutex);
            Session session = recipes.mutexSession(mutex);
            String lock = session.fullPath(recipes.mutexPath(mutex));
            if (!Holds.watched(lock)) {
                return;
            }
            String unfenced = unfenced(recipes, mutex);
            if (unfenced != null) {
                Seams.leaseEvents().unsupported(CuratorLibrary.NAME, unfenced, lock);
                return;
            }
            String node = session.fullPath(recipes.lockPath(mutex));
            if (Seams.blindUntil() > 0 && !Holds.knows(node) && recipes.lockCount(mutex) > 1) {
                // Re-entry keeps the lease, and this one's began before anything was seen of it.
                Seams.leaseEvents().unknown(CuratorLibrary.NAME, lock, node);
                return;
            }
            Holds.acquired(session, lock, node, LeaseContext.ofCurrentThread(), true);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** Why its holds are not fenced; null if they are. */
    private static String unfenced(Recipes recipes, Object mutex) throws Throwable {
        if (recipes.lockName(mutex).equals(READ)) {
            return "InterProcessReadWriteLock.readLock()";
        }
        String driver = recipes.driver(mutex);
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
            Recipes recipes = Recipes.of(mutex);
            String path = recipes.lockPath(mutex);
            if (path != null) {
                Session session = recipes.mutexSession(mutex);
                Holds.releasing(session.fullPath(recipes.mutexPath(mutex)), session.fullPath(path));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
