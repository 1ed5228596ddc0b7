/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.Objects;
import java.util.Optional;

/** A method that takes a lock. Of calls within calls for one lock, the outermost counts: a decorator, an overload that calls another, a proxy. */
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

        Attempt(LockMethods lock, Object self, Object[] arguments, Attempt outer) {
            this.lock = lock;
            this.self = self;
            this.arguments = arguments;
            this.outer = outer;
        }
    }

    private final LockMethods lock;
    private final CallReader reader;
    private final Holds holds;

    AcquireSite(LockMethods lock, CallReader reader, Holds holds) {
        this.lock = lock;
        this.reader = reader;
        this.holds = holds;
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
        CURRENT.set(attempt);
        return attempt;
    }

    @Override
    public void exit(Object call, Object returned, Throwable thrown) {
        Attempt attempt = (Attempt) call;
        try {
            leave(attempt);
            if (thrown == null && (lock.always() || held(returned))) {
                taken(attempt, returned instanceof Optional<?> optional ? optional.orElse(null) : returned);
            }
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

    static boolean held(Object returned) {
        if (returned instanceof Optional<?> optional) {
            return optional.isPresent() && held(optional.get());
        }
        return returned != null && !Boolean.FALSE.equals(returned);
    }

    private void taken(Attempt attempt, Object result) {
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
            return;
        }
        holds.taken(
                lock,
                name == null ? lock.template() : name,
                LeaseContext.ofCurrentThread(),
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
