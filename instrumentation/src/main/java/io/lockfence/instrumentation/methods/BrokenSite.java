/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

/**
 * A method whose calls cannot be read, which was not seen when it was woven: its locks protect nothing, and what they should have fenced is refused rather than
 * let through.
 */
final class BrokenSite implements Site {
    private final MethodPoint point;
    private final String failure;
    private final Holds holds;

    BrokenSite(MethodPoint point, String method, Throwable cause, Holds holds) {
        this.point = point;
        this.failure = "the calls of " + method + " cannot be read: " + cause;
        this.holds = holds;
        // Null while a running JVM is being woven.
        if (Seams.leaseEvents() != null) {
            Seams.leaseEvents().degraded(point.lock().library(), failure);
        }
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        return null;
    }

    @Override
    public Object exit(Object call, Object returned, Throwable thrown) {
        try {
            LockMethods lock = point.lock();
            if (point.role() == MethodPoint.Role.ACQUIRE
                    && thrown == null
                    && (lock.always() || Results.held(returned))) {
                holds.taken(
                        lock, lock.template(), LeaseContext.ofCurrentThread(), false, System.nanoTime(), 0, 0, failure);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }
}
