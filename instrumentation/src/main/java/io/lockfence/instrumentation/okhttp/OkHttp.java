/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.bootstrap.Effects;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** What the integration calls of one copy of OkHttp: its public API, the same since 3.12. */
final class OkHttp {
    private static final ClassValue<OkHttp> OF_TYPE = new ClassValue<>() {
        @Override
        protected OkHttp computeValue(Class<?> type) {
            try {
                return new OkHttp(type.getClassLoader());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this OkHttp is not of a shape that Lockfence knows", e);
            }
        }
    };

    private final MethodHandle requestOfCall;
    private final MethodHandle requestOfChain;
    private final MethodHandle callOfChain;
    private final MethodHandle method;
    private final MethodHandle url;
    private final MethodHandle newBuilder;
    private final MethodHandle header;
    private final MethodHandle removeHeader;
    private final MethodHandle build;

    private OkHttp(ClassLoader loader) throws ReflectiveOperationException {
        requestOfCall = method(loader, "okhttp3.Call", "request");
        requestOfChain = method(loader, "okhttp3.Interceptor$Chain", "request");
        callOfChain = method(loader, "okhttp3.Interceptor$Chain", "call");
        method = method(loader, "okhttp3.Request", "method");
        url = method(loader, "okhttp3.Request", "url");
        newBuilder = method(loader, "okhttp3.Request", "newBuilder");
        header = method(loader, "okhttp3.Request$Builder", "header", String.class, String.class);
        removeHeader = method(loader, "okhttp3.Request$Builder", "removeHeader", String.class);
        build = method(loader, "okhttp3.Request$Builder", "build");
    }

    /** The copy that the class of this object belongs to. */
    static OkHttp of(Object instance) {
        return OF_TYPE.get(instance.getClass());
    }

    Object requestOfCall(Object call) throws Throwable {
        return requestOfCall.invoke(call);
    }

    Object requestOfChain(Object chain) throws Throwable {
        return requestOfChain.invoke(chain);
    }

    Object callOfChain(Object chain) throws Throwable {
        return callOfChain.invoke(chain);
    }

    String method(Object request) throws Throwable {
        return (String) method.invoke(request);
    }

    String url(Object request) throws Throwable {
        return url.invoke(request).toString();
    }

    /** The same request with exactly one fencing header, or with none. */
    Object with(Object request, String value) throws Throwable {
        Object builder = newBuilder.invoke(request);
        if (value == null) {
            builder = removeHeader.invoke(builder, Effects.HEADER);
        } else {
            builder = header.invoke(builder, Effects.HEADER, value);
        }
        return build.invoke(builder);
    }

    private static MethodHandle method(ClassLoader loader, String type, String name, Class<?>... parameters)
            throws ReflectiveOperationException {
        MethodHandle handle = MethodHandles.publicLookup()
                .unreflect(Class.forName(type, false, loader).getMethod(name, parameters));
        return handle.asType(handle.type().generic());
    }
}
