/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.instrumentation.methods.LockMethods.Part;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Reads a lock's name, time and token from the calls of one method. Thread safe. */
final class CallReader {
    private final LockMethods lock;
    /** Those of the name's paths, in order. */
    private final List<Values> name = new ArrayList<>();

    private Values lease;
    private Values leaseUnit;
    private Values token;

    private CallReader(LockMethods lock) {
        this.lock = lock;
    }

    /** Of a call that takes the lock. */
    static CallReader ofAcquire(MethodHandles.Lookup woven, LockMethods lock, Signature signature)
            throws ReflectiveOperationException {
        CallReader reader = named(woven, lock, signature);
        reader.timed(woven, signature);
        reader.token = signature.compile(woven, lock.token());
        return reader;
    }

    /** Of a call that prolongs it. */
    static CallReader ofRenew(MethodHandles.Lookup woven, LockMethods lock, Signature signature)
            throws ReflectiveOperationException {
        CallReader reader = named(woven, lock, signature);
        reader.timed(woven, signature);
        return reader;
    }

    /** Of a call that gives it back. */
    static CallReader named(MethodHandles.Lookup woven, LockMethods lock, Signature signature)
            throws ReflectiveOperationException {
        CallReader reader = new CallReader(lock);
        for (Part part : lock.resource()) {
            if (part.path() != null) {
                reader.name.add(signature.compile(woven, part.path()));
            }
        }
        return reader;
    }

    private void timed(MethodHandles.Lookup woven, Signature signature) throws ReflectiveOperationException {
        if (lock.lease() != null && lock.lease().constant() == null) {
            lease = signature.compile(woven, lock.lease().value());
            leaseUnit = signature.compile(woven, lock.lease().unitValue());
        }
    }

    /** The lock's name. What is null is empty there, so that a lock whose id is missing is fenced as well. */
    String name(Object self, Object[] arguments, Object result) throws Throwable {
        StringBuilder text = new StringBuilder();
        int path = 0;
        for (Part part : lock.resource()) {
            if (part.path() == null) {
                text.append(part.literal());
            } else {
                Object value = name.get(path++).of(self, arguments, result);
                text.append(value == null ? "" : value);
            }
        }
        return text.toString();
    }

    /** How long the lock was granted for, in nanoseconds. */
    long granted(Object self, Object[] arguments, Object result) throws Throwable {
        if (lock.lease() == null) {
            return Long.MAX_VALUE;
        }
        if (lock.lease().constant() != null) {
            return nanos(lock.lease().constant());
        }
        Object value = lease.of(self, arguments, result);
        if (value == null) {
            throw new IllegalArgumentException("its lease time " + lock.lease().value() + " is null");
        }
        if (value instanceof Duration duration) {
            return nanos(duration);
        }
        ChronoUnit unit = lock.lease().unit();
        if (unit == null) {
            Object given = leaseUnit.of(self, arguments, result);
            if (given == null) {
                throw new IllegalArgumentException(
                        "the unit " + lock.lease().unitValue() + " of its lease time is null");
            }
            unit = given instanceof TimeUnit timeUnit ? timeUnit.toChronoUnit() : (ChronoUnit) given;
        }
        return nanos(unit.getDuration(), ((Number) value).longValue());
    }

    private static long nanos(Duration unit, long number) {
        try {
            return number <= 0 ? 0 : nanos(unit.multipliedBy(number));
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    private static long nanos(Duration duration) {
        try {
            return duration.isNegative() ? 0 : duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** The lock's own fencing token, above 0; 0 if it has none and the claim issues it. */
    long token(Object self, Object[] arguments, Object result) throws Throwable {
        if (token == null) {
            return 0;
        }
        Object value = token.of(self, arguments, result);
        if (!(value instanceof Number number) || number.longValue() <= 0) {
            throw new IllegalArgumentException(
                    "its token " + lock.token() + " is " + value + ", expected a number above 0");
        }
        return number.longValue();
    }
}
