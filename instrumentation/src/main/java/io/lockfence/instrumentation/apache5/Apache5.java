/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.bootstrap.Effects;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** What the integration calls of one copy of HttpCore 5: its public API. */
final class Apache5 {
    private static final ClassValue<Apache5> OF_TYPE = new ClassValue<>() {
        @Override
        protected Apache5 computeValue(Class<?> type) {
            try {
                return new Apache5(type);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this Apache HttpClient 5 is not of a shape that Lockfence knows", e);
            }
        }
    };

    private final MethodHandle method;
    private final MethodHandle scheme;
    private final MethodHandle authority;
    private final MethodHandle path;
    private final MethodHandle hostName;
    private final MethodHandle port;
    private final MethodHandle toUri;
    private final MethodHandle setHeader;
    private final MethodHandle removeHeaders;
    private final Class<?> dataConsumer;
    private final Class<?> entityProducer;
    private final ClassLoader loader;
    private volatile Async async;

    private Apache5(Class<?> request) throws ReflectiveOperationException {
        // A request of the service's own class sees the interfaces, or could not be one.
        loader = Class.forName("org.apache.hc.core5.http.HttpRequest", false, request.getClassLoader())
                .getClassLoader();
        method = method(loader, "http.HttpRequest", "getMethod");
        scheme = method(loader, "http.HttpRequest", "getScheme");
        authority = method(loader, "http.HttpRequest", "getAuthority");
        path = method(loader, "http.HttpRequest", "getPath");
        hostName = method(loader, "net.NamedEndpoint", "getHostName");
        port = method(loader, "net.NamedEndpoint", "getPort");
        toUri = method(loader, "http.HttpHost", "toURI");
        setHeader = method(loader, "http.HttpMessage", "setHeader", String.class, Object.class);
        removeHeaders = method(loader, "http.HttpMessage", "removeHeaders", String.class);
        dataConsumer = Class.forName("org.apache.hc.core5.http.nio.AsyncDataConsumer", false, loader);
        entityProducer = Class.forName("org.apache.hc.core5.http.nio.AsyncEntityProducer", false, loader);
    }

    /** The copy that this request is sent with. */
    static Apache5 of(Object request) {
        return OF_TYPE.get(request.getClass());
    }

    String method(Object request) throws Throwable {
        return (String) method.invoke(request);
    }

    /** @param target a host, for where the request itself names none; null if that is not known */
    String url(Object request, Object target) throws Throwable {
        Object named = authority.invoke(request);
        String location = (String) path.invoke(request);
        if (named == null) {
            return target == null ? location : toUri.invoke(target) + location;
        }
        String host = (String) hostName.invoke(named);
        int number = (int) port.invoke(named);
        Object known = scheme.invoke(request);
        return (known == null ? "http" : known)
                + "://"
                + (host.indexOf(':') >= 0 && host.charAt(0) != '[' ? "[" + host + "]" : host)
                + (number < 0 ? "" : ":" + number)
                + (location == null ? "" : location);
    }

    /** Exactly one fencing header, or none. */
    void mark(Object request, String value) throws Throwable {
        // What there is may be there more than once, of which setting replaces the first.
        removeHeaders.invoke(request, Effects.HEADER);
        if (value != null) {
            setHeader.invoke(request, Effects.HEADER, value);
        }
    }

    /** The object that a chain's scope has of its call. */
    Object runtime(Object scope) throws Throwable {
        return async(scope).runtime.invoke(scope);
    }

    /** Tells a chain's callback that the call has failed. */
    void fail(Object callback, Exception why) throws Throwable {
        async(callback).failed.invoke(callback, why);
    }

    /** {@code AsyncExecCallback}. */
    Class<?> callbackType(Object ofClient) throws Throwable {
        return async(ofClient).callback;
    }

    Class<?> dataConsumerType() {
        return dataConsumer;
    }

    Class<?> entityProducerType() {
        return entityProducer;
    }

    Exception protocolException(String message, Throwable cause) throws Throwable {
        MethodHandle constructor = MethodHandles.publicLookup()
                .findConstructor(
                        Class.forName("org.apache.hc.core5.http.ProtocolException", true, loader),
                        MethodType.methodType(void.class, String.class, Throwable.class));
        return (Exception) constructor.invoke(message, cause);
    }

    /** What is HttpClient's own; that may come from another loader than HttpCore. */
    private record Async(Class<?> callback, MethodHandle runtime, MethodHandle failed) {}

    private Async async(Object ofClient) throws ReflectiveOperationException {
        Async known = async;
        if (known == null) {
            ClassLoader client = ofClient.getClass().getClassLoader();
            MethodHandle runtime = MethodHandles.publicLookup()
                    .unreflectGetter(
                            Class.forName("org.apache.hc.client5.http.async.AsyncExecChain$Scope", false, client)
                                    .getField("execRuntime"));
            Class<?> callback = Class.forName("org.apache.hc.client5.http.async.AsyncExecCallback", false, client);
            MethodHandle failed = MethodHandles.publicLookup().unreflect(callback.getMethod("failed", Exception.class));
            known = new Async(
                    callback,
                    runtime.asType(runtime.type().generic()),
                    failed.asType(failed.type().generic()));
            async = known;
        }
        return known;
    }

    private static MethodHandle method(ClassLoader loader, String type, String name, Class<?>... parameters)
            throws ReflectiveOperationException {
        MethodHandle handle = MethodHandles.publicLookup()
                .unreflect(Class.forName("org.apache.hc.core5." + type, false, loader)
                        .getMethod(name, parameters));
        return handle.asType(handle.type().generic());
    }
}
