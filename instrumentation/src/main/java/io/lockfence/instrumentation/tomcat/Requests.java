/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** The end of a request, and its name for reports. */
final class Requests {
    /** The two getters of {@code org.apache.coyote.Request}, which both return a {@code MessageBytes}. */
    private record Getters(MethodHandle method, MethodHandle uri) {}

    private static final ClassValue<Getters> GETTERS = new ClassValue<>() {
        @Override
        protected Getters computeValue(Class<?> request) {
            return new Getters(getter(request, "method"), getter(request, "requestURI"));
        }
    };

    private Requests() {}

    static void ended(LeaseContext before, Object request) {
        try {
            Lease[] left = LeaseContext.endUnit(before);
            if (left != null) {
                Seams.leaseEvents().leftOver(left, name(request));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** "request GET /path": without the query, which may hold secrets. */
    private static String name(Object request) {
        try {
            Getters getters = GETTERS.get(request.getClass());
            return "request " + getters.method().invoke(request) + " "
                    + getters.uri().invoke(request);
        } catch (Throwable t) {
            return "a request on thread " + Thread.currentThread().getName();
        }
    }

    private static MethodHandle getter(Class<?> request, String name) {
        try {
            return MethodHandles.publicLookup().unreflect(request.getMethod(name));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
