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
     * @param ifGiven what follows where its answer says that it gave the lock back; null if nothing does
     */
    private record Call(LockMethods lock, String name, Runnable ifGiven, Call outer) {}

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;
    private final boolean answers;

    /** @param answers whether it returns something that tells whether the lock was given back */
    ReleaseSite(LockMethods lock, CallReader reader, Holds holds, boolean answers) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
        this.answers = answers;
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        if (LeaseContext.idle() && !Holds.olderPossible()) {
            return null;
        }
        String name = lock.template();
        Runnable ifGiven = null;
        Call outer = CURRENT.get();
        try {
            name = reader.name(self, arguments, null);
        } catch (Throwable t) {
            Seams.fault(t);
        }
        try {
            if (!within(outer, name)) {
                ifGiven = releasing(name, LeaseContext.ofCurrentThread());
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        Call call = new Call(lock, name, ifGiven, outer);
        CURRENT.set(call);
        return call;
    }

    /** Ends the thread's hold. Returns what is left to the answer: another thread's hold, one that a failed attempt was made in, or one that is not known. */
    private Runnable releasing(String name, LeaseContext context) {
        Hold undecided = answers ? holds.undecided(lock, name, context) : null;
        if (undecided != null) {
            return () -> holds.released(undecided);
        }
        if (holds.releasing(lock, name, context)) {
            return null;
        }
        Hold other = holds.onlyLiving(lock, name);
        if (other != null) {
            return () -> holds.released(other);
        }
        // A hold whose name could not be read has no other.
        boolean unnamed = holds.releasing(lock, lock.template(), context);
        return unnamed || !Holds.olderPossible() ? null : () -> holds.unexplained(lock, name);
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
            if (call.ifGiven() != null) {
                if (returned instanceof CompletionStage<?> stage) {
                    stage.whenComplete((value, failure) -> answered(call.ifGiven(), value));
                } else {
                    answered(call.ifGiven(), returned);
                }
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }

    private static void answered(Runnable ifGiven, Object returned) {
        try {
            if (Boolean.TRUE.equals(returned)) {
                ifGiven.run();
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
