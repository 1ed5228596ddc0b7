/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;

/** What the integration calls of the asynchronous client's handlers, which are not public. */
final class Handlers {
    private static final ClassValue<Handlers> OF_TYPE = new ClassValue<>() {
        @Override
        protected Handlers computeValue(Class<?> type) {
            try {
                return new Handlers(type);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this HttpAsyncClient is not of a shape that Lockfence knows", e);
            }
        }
    };

    private final MethodHandle request;
    private final MethodHandle route;
    private final MethodHandle target;

    private Handlers(Class<?> type) throws ReflectiveOperationException {
        Class<?> handler = Class.forName(
                "org.apache.http.impl.nio.client.AbstractClientExchangeHandler", false, type.getClassLoader());
        request = getter(handler, "getCurrentRequest");
        route = getter(handler, "getRoute");
        target = getter(
                Class.forName("org.apache.http.conn.routing.HttpRoute", false, type.getClassLoader()), "getTargetHost");
    }

    static Handlers of(Object handler) {
        return OF_TYPE.get(handler.getClass());
    }

    Object request(Object handler) throws Throwable {
        return request.invoke(handler);
    }

    /** Where the call goes. */
    Object target(Object handler) throws Throwable {
        return target.invoke(route.invoke(handler));
    }

    private static MethodHandle getter(Class<?> type, String name) throws ReflectiveOperationException {
        Method method = type.getDeclaredMethod(name);
        method.setAccessible(true);
        MethodHandle handle = MethodHandles.lookup().unreflect(method);
        return handle.asType(handle.type().generic());
    }
}
