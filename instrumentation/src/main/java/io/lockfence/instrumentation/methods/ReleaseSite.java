/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.concurrent.CompletionStage;

/**
 * A method that gives a lock back: the lease ends at its entry, since a release can fail half-way, and the guard at release runs before anything is sent. Of
 * calls within calls the outermost counts.
 */
final class ReleaseSite implements Site {
    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

    /**
     * A call that has not returned.
     *
     * @param name null if it could not be read
     * @param other the hold that it may give back for another thread; null if there is none, or if the calling thread had one
     */
    private record Call(LockMethods lock, String name, Hold other, Call outer) {}

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;

    ReleaseSite(LockMethods lock, CallReader reader, Holds holds) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        if (LeaseContext.idle()) {
            return null;
        }
        String name = null;
        Hold other = null;
        Call outer = CURRENT.get();
        try {
            name = reader.name(self, arguments, null);
            if (!within(outer, name) && !holds.releasing(lock, name, LeaseContext.ofCurrentThread())) {
                other = holds.onlyLiving(lock, name);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        Call call = new Call(lock, name, other, outer);
        CURRENT.set(call);
        return call;
    }

    private boolean within(Call outer, String name) {
        for (Call call = outer; call != null; call = call.outer()) {
            if (call.lock() == lock && name.equals(call.name())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Object exit(Object entered, Object returned, Throwable thrown) {
        if (entered == null) {
            return null;
        }
        try {
            Call call = (Call) entered;
            if (call.outer() == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(call.outer());
            }
            if (call.other() != null) {
                if (returned instanceof CompletionStage<?> stage) {
                    stage.whenComplete((value, failure) -> answered(call.other(), value));
                } else {
                    answered(call.other(), returned);
                }
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }

    private void answered(Hold other, Object returned) {
        try {
            if (Boolean.TRUE.equals(returned)) {
                holds.releasedElsewhere(other);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
