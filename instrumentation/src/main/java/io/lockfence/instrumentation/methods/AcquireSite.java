/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.LeasedFuture;
import io.lockfence.instrumentation.Workers;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * A method that takes a lock. Of calls within calls for one lock, the outermost counts: a decorator, an overload that calls another, a proxy. Where it
 * returns a {@code CompletionStage}, the lock is taken when that completes.
 */
final class AcquireSite implements Site {
    private static final ThreadLocal<Attempt> CURRENT = new ThreadLocal<>();

    /** A call that has not returned. */
    private static final class Attempt {
        final LockMethods lock;
        final Object self;
        final Object[] arguments;
        final long sentAt = System.nanoTime();
        final Attempt outer;
        /** Null if it is known by what the call returns, or if it could not be read. */
        String name;

        Throwable failure;
        /** Of the thread that the lease goes on; null for none, as an event loop's. */
        LeaseContext context;

        boolean expecting;
        /** Of a call in the background, once it has begun. */
        volatile Lease lease;

        Attempt(LockMethods lock, Object self, Object[] arguments, Attempt outer) {
            this.lock = lock;
            this.self = self;
            this.arguments = arguments;
            this.outer = outer;
        }

        void expect() {
            context = LeasedFuture.contextOfCaller();
            if (context != null) {
                context.expecting();
                expecting = true;
            }
        }

        void settled() {
            if (expecting) {
                expecting = false;
                context.settled();
            }
        }
    }

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;
    private final boolean async;

    /** @param async whether it returns a {@code CompletionStage} */
    AcquireSite(LockMethods lock, CallReader reader, Holds holds, boolean async) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
        this.async = async;
    }

    @Override
    public Object enter(Object self, Object[] arguments) {
        Attempt attempt = new Attempt(lock, self, arguments, CURRENT.get());
        try {
            if (!lock.namedByResult()) {
                attempt.name = reader.name(self, arguments, null);
            }
        } catch (Throwable t) {
            attempt.failure = t;
        }
        if (async) {
            attempt.expect();
        }
        CURRENT.set(attempt);
        return attempt;
    }

    @Override
    public Object exit(Object call, Object returned, Throwable thrown) {
        Attempt attempt = (Attempt) call;
        try {
            leave(attempt);
            if (async) {
                return returned instanceof CompletionStage<?> stage && !within(attempt, attempt.name)
                        ? leased(attempt, stage)
                        : settled(attempt);
            }
            attempt.context = LeaseContext.ofCurrentThread();
            if (thrown == null && (lock.always() || Results.held(returned))) {
                taken(attempt, Results.value(returned));
            } else {
                failed(attempt);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }

    private static Object settled(Attempt attempt) {
        attempt.settled();
        return null;
    }

    /** What the service gets instead: it completes when the lease has begun. */
    private <T> LeasedFuture<T> leased(Attempt attempt, CompletionStage<T> stage) {
        LeasedFuture<T> leased = new LeasedFuture<>(() -> attempt.lease, attempt.context, stage);
        stage.whenComplete((value, failure) -> {
            if (failure != null || leased.isDone() || !lock.always() && !Results.held(value)) {
                failed(attempt);
                attempt.settled();
                leased.settle(value, failure);
                return;
            }
            Runnable completion = () -> {
                begin(attempt, value);
                attempt.settled();
                leased.settle(value, null);
            };
            if (claimsAtOnce(attempt)) {
                Workers.onWorker(completion).run();
            } else {
                completion.run();
            }
        });
        return leased;
    }

    private void failed(Attempt attempt) {
        try {
            if (attempt.name != null && !within(attempt, attempt.name)) {
                holds.failed(lock, attempt.name, attempt.context);
            }
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
        }
    }

    /** Whether the lease's begin may block: no thread of the service's, or of its client's, should wait for that. */
    private boolean claimsAtOnce(Attempt attempt) {
        try {
            return Seams.leaseEvents() != null
                    && Seams.leaseEvents().claimsAtAcquire(lock.library(), attempt.name == null ? "" : attempt.name);
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
            return false;
        }
    }

    private void begin(Attempt attempt, Object value) {
        try {
            attempt.lease = taken(attempt, Results.value(value));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static void leave(Attempt attempt) {
        if (attempt.outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(attempt.outer);
        }
    }

    private Lease taken(Attempt attempt, Object result) {
        String name = attempt.name;
        long granted = 0;
        long token = 0;
        Throwable failure = attempt.failure;
        try {
            if (name == null && failure == null) {
                name = reader.name(attempt.self, attempt.arguments, result);
            }
            granted = reader.granted(attempt.self, attempt.arguments, result);
            token = reader.token(attempt.self, attempt.arguments, result);
        } catch (Throwable t) {
            failure = failure == null ? t : failure;
        }
        if (within(attempt, name)) {
            return null;
        }
        return holds.taken(
                lock,
                name == null ? lock.template() : name,
                attempt.context,
                async,
                attempt.sentAt,
                granted,
                token,
                failure == null ? null : "its call could not be read: " + words(failure));
    }

    private static boolean within(Attempt attempt, String name) {
        for (Attempt outer = attempt.outer; outer != null; outer = outer.outer) {
            if (outer.lock == attempt.lock && (outer.name == null || Objects.equals(outer.name, name))) {
                return true;
            }
        }
        return false;
    }

    static String words(Throwable failure) {
        return failure instanceof IllegalArgumentException && failure.getMessage() != null
                ? failure.getMessage()
                : failure.toString();
    }
}
