/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.bootstrap.Effects;
import io.lockfence.instrumentation.Handles;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.util.function.Consumer;

/** {@code HttpRequest} of one version of Jetty's client. */
final class Requests {
    private static final ClassValue<Requests> OF = new ClassValue<>() {
        @Override
        protected Requests computeValue(Class<?> request) {
            return new Requests(request);
        }
    };

    private final MethodHandle conversation;
    private final MethodHandle method;
    private final MethodHandle uri;
    private final MethodHandle abort;
    private final MethodHandle headers;
    private final MethodHandle put;
    private final MethodHandle remove;
    private final boolean mutableHeaders;

    private Requests(Class<?> request) {
        conversation = Handles.method(request, "getConversation");
        method = Handles.method(request, "getMethod");
        uri = Handles.method(request, "getURI");
        abort = Handles.method(request, "abort", Throwable.class);
        // Since 10 what getHeaders() returns cannot be changed.
        mutableHeaders = !Handles.has(request, "headers", Consumer.class);
        headers = mutableHeaders
                ? Handles.method(request, "getHeaders")
                : Handles.method(request, "headers", Consumer.class);
        Class<?> fields = Handles.type(
                request,
                mutableHeaders ? "org.eclipse.jetty.http.HttpFields" : "org.eclipse.jetty.http.HttpFields$Mutable");
        put = Handles.method(fields, "put", String.class, String.class);
        remove = Handles.method(fields, "remove", String.class);
    }

    static Requests of(Object request) {
        return OF.get(request.getClass());
    }

    Object conversation(Object request) {
        try {
            return conversation.invoke(request);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    String method(Object request) {
        try {
            return (String) method.invoke(request);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    String url(Object request) {
        try {
            return String.valueOf((Object) uri.invoke(request));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    void abort(Object request, IOException cause) {
        try {
            Object unused = abort.invoke(request, cause);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** Sets {@link Effects#HEADER}, or takes it away where it is null. */
    void setHeader(Object request, String value) {
        try {
            if (mutableHeaders) {
                set(headers.invoke(request), value);
            } else {
                Consumer<Object> change = fields -> set(fields, value);
                Object unused = headers.invoke(request, change);
            }
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private void set(Object fields, String value) {
        try {
            Object unused = value == null
                    ? remove.invoke(fields, (Object) Effects.HEADER)
                    : put.invoke(fields, (Object) Effects.HEADER, (Object) value);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
