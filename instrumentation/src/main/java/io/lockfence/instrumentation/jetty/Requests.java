/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Which object a request was admitted under, and the address of its peer. */
final class Requests {
    /** How one gets from a channel of Jetty 12's servlets to the request of its core; null where the channel itself is the key (9.4 to 11). */
    private static final ClassValue<MethodHandle> CORE = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> channel) {
            if (channel.getName().startsWith("org.eclipse.jetty.server.")) {
                return null;
            }
            MethodHandle nested = PublicMethods.methodOrNull(channel, "getCoreRequest");
            return nested == null ? PublicMethods.method(channel, "getRequest") : nested;
        }
    };

    /** {@code Request.unWrap(Request)}, seen from one of Jetty's own classes: a wrapper may be the service's, which need not see it. */
    private static final ClassValue<MethodHandle> UNWRAP = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> jettys) {
            return PublicMethods.staticMethod(jettys, "org.eclipse.jetty.server.Request", "unWrap", "Request");
        }
    };

    /** Of the endpoint that a PROXY protocol puts in front of the connection's: that one. */
    private static final ClassValue<MethodHandle> PROXIED = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> endPoint) {
            return endPoint.getName().endsWith("$ProxyEndPoint")
                    ? PublicMethods.methodOrNull(endPoint, "unwrap")
                    : null;
        }
    };

    /** {@code getRemoteAddress()}, {@code getRemoteSocketAddress()} from 10 on. */
    private static final ClassValue<MethodHandle> ADDRESS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> endPoint) {
            MethodHandle any = PublicMethods.methodOrNull(endPoint, "getRemoteSocketAddress");
            return any == null ? PublicMethods.method(endPoint, "getRemoteAddress") : any;
        }
    };

    private Requests() {}

    /** @param channel of the servlets, in any edition; null gives null */
    static Object key(Object channel) throws Throwable {
        if (channel == null) {
            return null;
        }
        MethodHandle core = CORE.get(channel.getClass());
        return core == null ? channel : unwrapped(channel.getClass(), core.invoke(channel));
    }

    /** The innermost request of Jetty 12's core; null gives null. */
    static Object unwrapped(Class<?> jettys, Object request) throws Throwable {
        return request == null ? null : UNWRAP.get(jettys).invoke(request);
    }

    static String peer(Object endPoint) throws Throwable {
        Object connection = endPoint;
        MethodHandle proxied = PROXIED.get(connection.getClass());
        if (proxied != null) {
            connection = proxied.invoke(connection);
        }
        SocketAddress address =
                (SocketAddress) ADDRESS.get(connection.getClass()).invoke(connection);
        return address instanceof InetSocketAddress internet ? Inbound.numbers(internet) : null;
    }
}
