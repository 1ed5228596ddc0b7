/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import io.lockfence.bootstrap.Units;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/**
 * The leases on a thread, as a thread-local of the service's: read where a snapshot is taken, set where a scope begins, and read before that, so that the
 * scope's end puts back what was there. What is put back is not set: the scope that it was read for is closed, and what has become of the thread's own leases
 * meanwhile stays.
 *
 * <p>As a proxy: no class of ours is in the service's loader.
 */
final class Accessor implements InvocationHandler {
    /** Under which the leases are in Reactor's context. */
    static final String KEY = "io.lockfence.leases";

    private static final Lease[] NONE = {};

    /** Leases as the library keeps them. Each reading is an object of its own, by which the scope that it was made for is found again. */
    private static final class Reading {
        private final Lease[] leases;

        Reading(Lease[] leases) {
            this.leases = leases;
        }

        /** Reactor compares snapshots. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Reading reading && Arrays.equals(leases, reading.leases);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(leases);
        }

        @Override
        public String toString() {
            return Arrays.toString(leases);
        }
    }

    /** The thread's latest reading, if that found leases: if a scope begins now, it was made for that. */
    private static final ThreadLocal<Reading> LATEST = new ThreadLocal<>();

    private Accessor() {}

    static void register(Object registry) throws Throwable {
        ClassLoader loader = registry.getClass().getClassLoader();
        Class<?> type = Class.forName("io.micrometer.context.ThreadLocalAccessor", false, loader);
        MethodHandle register = MethodHandles.publicLookup()
                .findVirtual(
                        registry.getClass(),
                        "registerThreadLocalAccessor",
                        MethodType.methodType(registry.getClass(), type));
        register.invoke(registry, Proxy.newProxyInstance(loader, new Class<?>[] {type}, new Accessor()));
    }

    /**
     * A scope ends and puts something back.
     *
     * @param previous null for nothing
     * @return whether it was to be put back with our accessor: it is done
     */
    static boolean putBack(Object accessor, Object previous) {
        if (accessor instanceof Proxy && Proxy.getInvocationHandler(accessor) instanceof Accessor) {
            Units.closeScope(previous);
            return true;
        }
        return false;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "getValue" -> {
                return read();
            }
            case "setValue" ->
                open(arguments != null && arguments[0] instanceof Reading reading ? reading.leases : NONE);
            // Of those who keep nothing for a key; scopes' ends that say so as well do not come here.
            case "reset" -> open(NONE);
            case "restore" -> Units.closeScope(arguments == null ? null : arguments[0]);
            case "key" -> {
                return KEY;
            }
            case "equals" -> {
                return proxy == arguments[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            default -> {
                return "Lockfence";
            }
        }
        return null;
    }

    /** Null if there are none, as the library has it. */
    private static Object read() {
        Lease[] leases = LeaseContext.idle() ? NONE : Submissions.carriedOn(null, Accessor.class);
        if (leases.length == 0) {
            LATEST.remove();
            return null;
        }
        Reading reading = new Reading(leases);
        LATEST.set(reading);
        return reading;
    }

    private static void open(Lease[] leases) {
        if (leases.length > 0 || !LeaseContext.idle()) {
            Units.openScope(leases, LATEST.get());
        }
    }
}
