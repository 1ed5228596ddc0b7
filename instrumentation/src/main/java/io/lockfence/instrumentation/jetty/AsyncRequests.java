/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;

/** From the state of an asynchronous request to the object under which the request was admitted. */
final class AsyncRequests {
    /** The state's channel: {@code getHttpChannel()}, or {@code getServletChannel()} in Jetty 12. */
    private static final ClassValue<MethodHandle> CHANNEL = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> state) {
            MethodHandle http = PublicMethods.methodOrNull(state, "getHttpChannel");
            return http == null ? PublicMethods.method(state, "getServletChannel") : http;
        }
    };

    private AsyncRequests() {}

    static Object joins(Object state) {
        return Inbound.join(key(state));
    }

    static void leaves(Object joined) {
        Inbound.leave(joined);
    }

    static Runnable turn(Object state, Runnable task) {
        return Inbound.turn(key(state), task);
    }

    private static Object key(Object state) {
        if (state == null || !Inbound.ever()) {
            return null;
        }
        try {
            return Requests.key(CHANNEL.get(state.getClass()).invoke(state));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
