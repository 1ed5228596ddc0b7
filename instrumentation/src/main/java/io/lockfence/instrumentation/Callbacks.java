/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;

/**
 * What a client calls back, on threads that serve many requests: a unit of work each time, under the leases of its own request. Thread safe.
 */
public final class Callbacks {
    private final LeaseContext before;

    private Callbacks(LeaseContext before) {
        this.before = before;
    }

    /** A callback begins on this thread. Returns what {@link #end} is given; null if it runs under these leases, or none, already. */
    public static Object begin(Lease[] leases) {
        return Arrays.equals(LeaseContext.current(), leases) ? null : new Callbacks(LeaseContext.beginUnit(leases));
    }

    /** A callback has ended, also by a throw. What it has taken and not given back is set aside. */
    public static void end(Object begun) {
        if (begun instanceof Callbacks unit) {
            Units.end(unit.before, null);
        }
    }

    /** Work that runs under leases, and only under these. */
    public static Runnable under(Lease[] leases, Runnable work) {
        return leases.length == 0
                ? work
                : () -> {
                    Object begun = begin(leases);
                    try {
                        work.run();
                    } finally {
                        end(begun);
                    }
                };
    }

    /**
     * An object that does what the given one does, each method under leases.
     *
     * @param type a public interface of the client's, which is all that the client knows of the object
     * @param nested other such interfaces: what the object's methods return of them is wrapped as well
     * @return null for null; the object itself where there are no leases
     */
    public static Object under(Lease[] leases, Object callback, Class<?> type, Class<?>... nested) {
        return callback == null || leases.length == 0
                ? callback
                : Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, new Under(leases, callback, Set.of(nested)));
    }

    private record Under(Lease[] leases, Object callback, Set<Class<?>> nested) implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return method.getName().equals("equals") ? proxy == arguments[0] : method.invoke(callback, arguments);
            }
            Object begun = begin(leases);
            try {
                Object result = method.invoke(callback, arguments);
                return nested.contains(method.getReturnType())
                        ? under(leases, result, method.getReturnType(), nested.toArray(Class<?>[]::new))
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                end(begun);
            }
        }
    }
}
