/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

/**
 * A method that gives a lock back: the lease ends at its entry, since a release can fail half-way, and the guard at release runs before anything is sent. Of
 * calls within calls the outermost counts.
 */
final class ReleaseSite implements Site {
    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

    /** A call that has not returned; null name if it could not be read. */
    private record Call(LockMethods lock, String name, boolean ended, Call outer) {}

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
        boolean ended = false;
        Call outer = CURRENT.get();
        try {
            name = reader.name(self, arguments, null);
            ended = within(outer, name) || holds.releasing(lock, name, LeaseContext.ofCurrentThread());
        } catch (Throwable t) {
            Seams.fault(t);
        }
        Call call = new Call(lock, name, ended, outer);
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
    public void exit(Object entered, Object returned, Throwable thrown) {
        if (entered == null) {
            return;
        }
        try {
            Call call = (Call) entered;
            if (call.outer() == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(call.outer());
            }
            if (!call.ended() && call.name() != null && Boolean.TRUE.equals(returned)) {
                holds.releasedElsewhere(lock, call.name());
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
