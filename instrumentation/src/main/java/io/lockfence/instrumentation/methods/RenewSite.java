/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.concurrent.CompletionStage;

/** A method that prolongs a lock, where it succeeds. One that fails says nothing: the deadline stays where it was. */
final class RenewSite implements Site {
    /** A call that has not returned. */
    private record Attempt(Object self, Object[] arguments, LeaseContext context, Hold hold, long sentAt) {}

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;
    private final boolean async;

    /** @param async whether it returns a {@code CompletionStage} */
    RenewSite(LockMethods lock, CallReader reader, Holds holds, boolean async) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
        this.async = async;
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        if (LeaseContext.idle() && !Holds.olderPossible()) {
            return null;
        }
        LeaseContext context = LeaseContext.ofCurrentThread();
        long sentAt = System.nanoTime();
        Hold hold = null;
        try {
            if (!lock.namedByResult()) {
                hold = holds.prolongable(lock, reader.name(self, arguments, null), context, sentAt);
                if (hold == null && !Holds.olderPossible()) {
                    return null;
                }
            }
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
        return new Attempt(self, arguments, context, hold, sentAt);
    }

    @Override
    public Object exit(Object call, Object returned, Throwable thrown) {
        if (call == null || thrown != null) {
            return null;
        }
        try {
            Attempt attempt = (Attempt) call;
            if (async) {
                if (returned instanceof CompletionStage<?> stage) {
                    stage.whenComplete((value, failure) -> {
                        if (failure == null) {
                            answered(attempt, value);
                        }
                    });
                }
            } else {
                answered(attempt, returned);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }

    private void answered(Attempt attempt, Object returned) {
        try {
            if (lock.always() || Results.held(returned)) {
                Object result = Results.value(returned);
                Hold hold = attempt.hold();
                if (hold == null) {
                    String name = reader.name(attempt.self(), attempt.arguments(), result);
                    hold = holds.prolongable(lock, name, attempt.context(), attempt.sentAt());
                    if (hold == null) {
                        holds.unexplained(lock, name);
                        return;
                    }
                }
                long granted = reader.granted(attempt.self(), attempt.arguments(), result);
                holds.prolonged(hold, attempt.sentAt(), granted);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
