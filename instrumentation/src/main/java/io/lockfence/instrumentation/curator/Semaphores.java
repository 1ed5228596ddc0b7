/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.util.Collection;

/** {@code InterProcessSemaphoreV2} with one lease, and {@code InterProcessSemaphoreMutex}, which is made of one. */
final class Semaphores {
    /** Acquiring takes a mutex of the semaphore's own for a moment: no lock of the service's. */
    private static final ThreadLocal<Boolean> WITHIN = new ThreadLocal<>();

    private static final Beside<Object, Boolean> SIZED_ELSEWHERE = new Beside<>();

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
        Hold hold = null;
        try {
            Recipes.Semaphore parts = Recipes.Semaphore.of(semaphore);
            Session session = parts.session(semaphore);
            String parent = session.fullPath(parts.leasesPath(semaphore));
            String lock = lock(parent);
            if (!Holds.watched(lock)) {
                return;
            }
            String unfenced = SIZED_ELSEWHERE.get(semaphore) != null
                    ? "InterProcessSemaphoreV2 with a SharedCountReader"
                    : parts.maxLeases(semaphore) != 1
                            ? "InterProcessSemaphoreV2 with " + parts.maxLeases(semaphore) + " leases"
                            : null;
            if (unfenced != null) {
                Seams.leaseEvents().unsupported(CuratorLibrary.NAME, unfenced, lock);
                return;
            }
            for (Object lease : acquired) {
                hold = new Hold(lock, parent + '/' + parts.nodeName(lease), LeaseContext.ofCurrentThread(), false);
                Holds.acquired(session, hold);
            }
        } catch (Throwable t) {
            Holds.failed(hold, t);
        }
    }

    /** It was made with a count that others may change while it is held. */
    static void sizedElsewhere(Object semaphore) {
        SIZED_ELSEWHERE.put(semaphore, true);
    }

    /** One of the older {@code InterProcessSemaphore}s was acquired: it is not fenced. */
    static void acquiredOlder(Object semaphore) {
        try {
            MethodHandle internals = Handles.getter(semaphore.getClass(), "internals");
            Object lock = internals.invoke(semaphore);
            String path = (String) Handles.getter(lock.getClass(), "basePath").invoke(lock);
            Session session =
                    new Session(Handles.getter(lock.getClass(), "client").invoke(lock));
            String name = session.fullPath(path);
            if (Holds.watched(name)) {
                Seams.leaseEvents().unsupported(CuratorLibrary.NAME, "InterProcessSemaphore", name);
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
            Recipes.Semaphore parts = Recipes.Semaphore.of(semaphore);
            String parent = parts.session(semaphore).fullPath(parts.leasesPath(semaphore));
            Holds.releasing(lock(parent), parent + '/' + parts.nodeName(lease));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static String lock(String leasesPath) {
        return leasesPath.substring(0, leasesPath.lastIndexOf('/'));
    }
}
