/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.Effects;
import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code io.grpc.Metadata} of one class loader. */
final class Headers {
    /** The problem document of a call that was answered for the service, whole. */
    private static final String PROBLEM = "fencing-problem-bin";

    private final MethodHandle create;
    private final MethodHandle keyOf;
    private final MethodHandle getAll;
    private final MethodHandle put;
    private final MethodHandle discardAll;
    private final Object asString;
    private final Object token;
    private final Object problem;

    Headers(Class<?> grpc) {
        Class<?> metadata = Handles.type(grpc, "io.grpc.Metadata");
        Class<?> key = Handles.type(grpc, "io.grpc.Metadata$Key");
        Class<?> ascii = Handles.type(grpc, "io.grpc.Metadata$AsciiMarshaller");
        Class<?> binary = Handles.type(grpc, "io.grpc.Metadata$BinaryMarshaller");
        create = Handles.constructor(metadata);
        keyOf = Handles.method(key, "of", String.class, ascii);
        getAll = Handles.method(metadata, "getAll", key);
        put = Handles.method(metadata, "put", key, Object.class);
        discardAll = Handles.method(metadata, "discardAll", key);
        asString = Handles.constant(metadata, "ASCII_STRING_MARSHALLER");
        try {
            token = keyOf.invoke((Object) lower(Effects.HEADER), asString);
            problem = Handles.method(key, "of", String.class, binary)
                    .invoke((Object) PROBLEM, Handles.constant(metadata, "BINARY_BYTE_MARSHALLER"));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    Object none() throws Throwable {
        return create.invoke();
    }

    /** Sets the token, or takes it away where it is null. */
    void setToken(Object headers, String value) throws Throwable {
        discardAll.invoke(headers, token);
        if (value != null) {
            put.invoke(headers, token, (Object) value);
        }
    }

    void setProblem(Object trailers, byte[] document) throws Throwable {
        discardAll.invoke(trailers, problem);
        put.invoke(trailers, problem, (Object) document);
    }

    List<String> values(Object headers, String name) {
        try {
            Object key = keyOf.invoke((Object) lower(name), asString);
            List<String> values = new ArrayList<>();
            Object all = getAll.invoke(headers, key);
            if (all != null) {
                ((Iterable<?>) all).forEach(value -> values.add((String) value));
            }
            return values;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
