/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.Collection;

/** {@code InterProcessSemaphoreV2} with one lease, and {@code InterProcessSemaphoreMutex}, which is made of one. */
final class Semaphores {
    /** Acquiring takes a mutex of the semaphore's own for a moment: no lock of the service's. */
    private static final ThreadLocal<Boolean> WITHIN = new ThreadLocal<>();

    private Semaphores() {}

    static boolean within() {
        return WITHIN.get() != null;
    }

    static void acquiring() {
        WITHIN.set(true);
    }

    /** @param leases those that were acquired; null for none */
    static void acquired(Object semaphore, Object leases) {
        WITHIN.remove();
        if (!(leases instanceof Collection<?> acquired)) {
            return;
        }
        try {
            Recipes recipes = Recipes.of(semaphore);
            Session session = recipes.semaphoreSession(semaphore);
            String parent = session.fullPath(recipes.leasesPath(semaphore));
            String lock = lock(parent);
            if (!Holds.watched(lock)) {
                return;
            }
            int most = recipes.maxLeases(semaphore);
            if (most != 1) {
                Seams.leaseEvents()
                        .unsupported(CuratorLibrary.NAME, "InterProcessSemaphoreV2 with " + most + " leases", lock);
                return;
            }
            for (Object lease : acquired) {
                String node = parent + '/' + recipes.nodeName(lease);
                Holds.acquired(session, lock, node, LeaseContext.ofCurrentThread(), false);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * A lease of one is about to be given back, on any thread.
     *
     * @param semaphore that it is of
     */
    static void releasing(Object semaphore, Object lease) {
        if (Holds.noneToRelease() || within()) {
            return;
        }
        try {
            Recipes recipes = Recipes.of(semaphore);
            String parent = recipes.semaphoreSession(semaphore).fullPath(recipes.leasesPath(semaphore));
            Holds.releasing(lock(parent), parent + '/' + recipes.nodeName(lease));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static String lock(String leasesPath) {
        return leasesPath.substring(0, leasesPath.lastIndexOf('/'));
    }
}
