/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Listens to the connections of clients that hold locks: once for each. */
final class Clients {
    private static final Beside<Object, Boolean> WATCHED = new Beside<>();

    private Clients() {}

    static void watch(Session session) {
        try {
            Object client = session.identity();
            if (WATCHED.get(client) == null) {
                WATCHED.put(client, true);
                session.listen(new Listener(client));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** A {@code ConnectionStateListener}. */
    static final class Listener implements InvocationHandler {
        private final Object client;

        Listener(Object client) {
            this.client = client;
        }

        /** As the listener that Curator takes. */
        Object as(Class<?> type) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            switch (method.getName()) {
                case "stateChanged" -> changed(String.valueOf(arguments[1]));
                case "doNotProxy" -> {
                    // Curator may put a circuit breaker before listeners: not before this one.
                    return true;
                }
                case "equals" -> {
                    return proxy == arguments[0];
                }
                case "hashCode" -> {
                    return System.identityHashCode(proxy);
                }
                case "toString" -> {
                    return "connection listener of Lockfence";
                }
                default -> {
                    // None that matters.
                }
            }
            return null;
        }

        private void changed(String state) {
            try {
                if (state.equals("LOST")) {
                    Holds.lost(client, "Curator has lost the session of its client");
                } else if (state.equals("RECONNECTED")) {
                    Holds.look(client);
                }
            } catch (RuntimeException | Error e) {
                Seams.fault(e);
            }
        }
    }
}
