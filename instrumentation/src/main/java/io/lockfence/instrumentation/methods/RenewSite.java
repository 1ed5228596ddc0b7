/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.Optional;

/** A method that prolongs a lock, where it succeeds. One that fails says nothing: the deadline stays where it was. */
final class RenewSite implements Site {
    /** A call that has not returned. */
    private record Attempt(Object self, Object[] arguments, long sentAt) {}

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;

    RenewSite(LockMethods lock, CallReader reader, Holds holds) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        return LeaseContext.idle() ? null : new Attempt(self, arguments, System.nanoTime());
    }

    @Override
    public void exit(Object call, Object returned, Throwable thrown) {
        if (call == null || thrown != null) {
            return;
        }
        try {
            Attempt attempt = (Attempt) call;
            if (lock.always() || AcquireSite.held(returned)) {
                Object result = returned instanceof Optional<?> optional ? optional.orElse(null) : returned;
                String name = reader.name(attempt.self(), attempt.arguments(), result);
                long granted = reader.granted(attempt.self(), attempt.arguments(), result);
                holds.prolonged(lock, name, LeaseContext.ofCurrentThread(), attempt.sentAt(), granted);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
