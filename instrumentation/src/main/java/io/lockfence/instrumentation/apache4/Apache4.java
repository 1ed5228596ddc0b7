/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.Effects;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** What the integration calls of one copy of HttpCore 4: its public API. */
final class Apache4 {
    private static final ClassValue<Apache4> OF_TYPE = new ClassValue<>() {
        @Override
        protected Apache4 computeValue(Class<?> type) {
            try {
                return new Apache4(type);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this Apache HttpClient 4 is not of a shape that Lockfence knows", e);
            }
        }
    };

    private final MethodHandle requestLine;
    private final MethodHandle method;
    private final MethodHandle uri;
    private final MethodHandle toUri;
    private final MethodHandle attribute;
    private final MethodHandle setHeader;
    private final MethodHandle removeHeaders;

    private Apache4(Class<?> request) throws ReflectiveOperationException {
        // A request of the service's own class sees the interfaces, or could not be one.
        ClassLoader loader = core(request);
        requestLine = method(loader, "HttpRequest", "getRequestLine");
        method = method(loader, "RequestLine", "getMethod");
        uri = method(loader, "RequestLine", "getUri");
        toUri = method(loader, "HttpHost", "toURI");
        attribute = method(loader, "protocol.HttpContext", "getAttribute", String.class);
        setHeader = method(loader, "HttpMessage", "setHeader", String.class, String.class);
        removeHeaders = method(loader, "HttpMessage", "removeHeaders", String.class);
    }

    /** The copy that this request is sent with. */
    static Apache4 of(Object request) {
        return OF_TYPE.get(request.getClass());
    }

    String method(Object request) throws Throwable {
        return (String) method.invoke(requestLine.invoke(request));
    }

    /** @param target a host; null if the request itself names it */
    String url(Object request, Object target) throws Throwable {
        String url = (String) uri.invoke(requestLine.invoke(request));
        return target == null || !url.startsWith("/") ? url : toUri.invoke(target) + url;
    }

    /** Where an attempt goes; null if that is not known: HttpCore without HttpClient. */
    Object target(Object context) throws Throwable {
        return context == null ? null : attribute.invoke(context, "http.target_host");
    }

    /** Exactly one fencing header, or none. */
    void mark(Object request, String value) throws Throwable {
        // What there is may be there more than once, of which setting replaces the first.
        removeHeaders.invoke(request, Effects.HEADER);
        if (value != null) {
            setHeader.invoke(request, Effects.HEADER, value);
        }
    }

    private static ClassLoader core(Class<?> request) throws ClassNotFoundException {
        return Class.forName("org.apache.http.HttpRequest", false, request.getClassLoader())
                .getClassLoader();
    }

    private static MethodHandle method(ClassLoader loader, String type, String name, Class<?>... parameters)
            throws ReflectiveOperationException {
        MethodHandle handle = MethodHandles.publicLookup()
                .unreflect(
                        Class.forName("org.apache.http." + type, false, loader).getMethod(name, parameters));
        return handle.asType(handle.type().generic());
    }
}
