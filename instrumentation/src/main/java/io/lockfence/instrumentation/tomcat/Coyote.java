/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** Tomcat's requests, below the servlet API: {@code org.apache.coyote.Request}, and the {@code connector.Request} above it. */
final class Coyote {
    /** Of {@code org.apache.coyote.Request}; those that are called texts return a {@code MessageBytes}. */
    private record Types(
            MethodHandle method,
            MethodHandle uri,
            MethodHandle protocol,
            MethodHandle decodedUri,
            MethodHandle peer,
            MethodHandle headers,
            MethodHandle action,
            Object askPeer) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> request) {
            // The peer of the connection, where the version tells it from the client that an AJP proxy speaks for.
            MethodHandle peer = PublicMethods.methodOrNull(request, "peerAddr");
            return new Types(
                    PublicMethods.method(request, "method"),
                    PublicMethods.method(request, "requestURI"),
                    PublicMethods.method(request, "protocol"),
                    PublicMethods.method(request, "decodedURI"),
                    peer == null ? PublicMethods.method(request, "remoteAddr") : peer,
                    PublicMethods.method(request, "getMimeHeaders"),
                    PublicMethods.method(request, "action", "ActionCode", "Object"),
                    code(request, peer == null ? "REQ_HOST_ADDR_ATTRIBUTE" : "REQ_PEER_ADDR_ATTRIBUTE"));
        }
    };

    /** Of {@code org.apache.tomcat.util.http.MimeHeaders}: its {@code values(String)}. */
    private static final ClassValue<MethodHandle> VALUES = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> headers) {
            return PublicMethods.method(headers, "values", "String");
        }
    };

    /** Of {@code org.apache.catalina.connector.Request}. */
    private static final ClassValue<MethodHandle> BELOW = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> request) {
            return PublicMethods.method(request, "getCoyoteRequest");
        }
    };

    private Coyote() {}

    static Object requestOf(Object servletRequest) {
        try {
            return servletRequest == null
                    ? null
                    : BELOW.get(servletRequest.getClass()).invoke(servletRequest);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    static String method(Object request) throws Throwable {
        return text(types(request).method(), request);
    }

    static String uri(Object request) throws Throwable {
        return text(types(request).uri(), request);
    }

    static boolean isHttp1(Object request) throws Throwable {
        String protocol = text(types(request).protocol(), request);
        return protocol != null && protocol.startsWith("HTTP/1.");
    }

    static String decodedUri(Object request) throws Throwable {
        return text(types(request).decodedUri(), request);
    }

    /** Null on a Unix domain socket. */
    static String peer(Object request) throws Throwable {
        Types types = types(request);
        types.action().invoke(request, types.askPeer(), request);
        String address = text(types.peer(), request);
        return address == null || address.isEmpty() ? null : address;
    }

    static List<String> header(Object request, String name) throws Throwable {
        Object headers = types(request).headers().invoke(request);
        Enumeration<?> values = (Enumeration<?>) VALUES.get(headers.getClass()).invoke(headers, name);
        List<String> all = new ArrayList<>(1);
        for (Object value : Collections.list(values)) {
            all.add((String) value);
        }
        return all;
    }

    private static Types types(Object request) {
        return TYPES.get(request.getClass());
    }

    /** Null if it is not set. */
    private static String text(MethodHandle getter, Object request) throws Throwable {
        Object bytes = getter.invoke(request);
        return bytes == null ? null : bytes.toString();
    }

    /** A constant of {@code org.apache.coyote.ActionCode}. */
    static Object code(Class<?> neighbour, String name) {
        try {
            Class<?> codes = Class.forName("org.apache.coyote.ActionCode", true, neighbour.getClassLoader());
            return codes.getField(name).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
