/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.undertow;

import io.lockfence.bootstrap.Answer;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** {@code HttpServerExchange} and the types around it. */
final class Exchange {
    private record Types(
            MethodHandle method,
            MethodHandle path,
            MethodHandle uri,
            MethodHandle requestFields,
            MethodHandle connection,
            MethodHandle inIoThread,
            MethodHandle dispatch,
            MethodHandle status,
            MethodHandle setStatus,
            MethodHandle started,
            MethodHandle responseFields,
            MethodHandle sender,
            MethodHandle addWrapper,
            Class<?> handler,
            Class<?> wrapper,
            Class<?> conduit) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> exchange) {
            try {
                ClassLoader loader = exchange.getClassLoader();
                return new Types(
                        PublicMethods.method(exchange, "getRequestMethod"),
                        PublicMethods.method(exchange, "getRequestPath"),
                        PublicMethods.method(exchange, "getRequestURI"),
                        PublicMethods.method(exchange, "getRequestHeaders"),
                        PublicMethods.method(exchange, "getConnection"),
                        PublicMethods.method(exchange, "isInIoThread"),
                        PublicMethods.method(exchange, "dispatch", "HttpHandler"),
                        PublicMethods.method(exchange, "getStatusCode"),
                        PublicMethods.method(exchange, "setStatusCode", "int"),
                        PublicMethods.method(exchange, "isResponseStarted"),
                        PublicMethods.method(exchange, "getResponseHeaders"),
                        PublicMethods.method(exchange, "getResponseSender"),
                        PublicMethods.method(exchange, "addResponseWrapper", "ConduitWrapper"),
                        Class.forName("io.undertow.server.HttpHandler", true, loader),
                        Class.forName("io.undertow.server.ConduitWrapper", true, loader),
                        Class.forName("org.xnio.conduits.StreamSinkConduit", true, loader));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    /** Of {@code HeaderMap}, and the constructor of {@code HttpString}. */
    private record Fields(
            MethodHandle get, MethodHandle names, MethodHandle remove, MethodHandle put, MethodHandle name) {}

    private static final ClassValue<Fields> FIELDS = new ClassValue<>() {
        @Override
        protected Fields computeValue(Class<?> map) {
            try {
                Class<?> name = Class.forName("io.undertow.util.HttpString", true, map.getClassLoader());
                return new Fields(
                        PublicMethods.method(map, "get", "String"),
                        PublicMethods.method(map, "getHeaderNames"),
                        PublicMethods.method(map, "remove", "String"),
                        PublicMethods.method(map, "put", "HttpString", "String"),
                        MethodHandles.publicLookup().unreflectConstructor(name.getConstructor(String.class)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private static final ClassValue<MethodHandle> PEER = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> connection) {
            return PublicMethods.method(connection, "getPeerAddress");
        }
    };

    private static final ClassValue<MethodHandle> SEND = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> sender) {
            return PublicMethods.method(sender, "send", "ByteBuffer");
        }
    };

    /** What a handler of ours does. */
    interface Handling {
        void run() throws Throwable;
    }

    private Exchange() {}

    static String method(Object exchange) throws Throwable {
        return types(exchange).method().invoke(exchange).toString();
    }

    /** Decoded, without parameters; dot segments are in it, and maybe no slash before it, which handlers do not mind. Null for what is no path. */
    static String path(Object exchange) throws Throwable {
        String path = (String) types(exchange).path().invoke(exchange);
        return path == null || path.equals("*") ? null : path;
    }

    static String uri(Object exchange) throws Throwable {
        return (String) types(exchange).uri().invoke(exchange);
    }

    static List<String> header(Object exchange, String name) throws Throwable {
        Object fields = types(exchange).requestFields().invoke(exchange);
        Object values = FIELDS.get(fields.getClass()).get().invoke(fields, name);
        List<String> all = new ArrayList<>(1);
        if (values != null) {
            for (Object value : (Iterable<?>) values) {
                all.add((String) value);
            }
        }
        return all;
    }

    /** Of the connection: handlers of the service may have set another one on the exchange. */
    static String peer(Object exchange) throws Throwable {
        Object connection = types(exchange).connection().invoke(exchange);
        SocketAddress address = (SocketAddress) PEER.get(connection.getClass()).invoke(connection);
        return address instanceof InetSocketAddress internet ? Inbound.numbers(internet) : null;
    }

    static boolean isInIoThread(Object exchange) throws Throwable {
        return (boolean) types(exchange).inIoThread().invoke(exchange);
    }

    static void dispatch(Object exchange, Object handler) throws Throwable {
        types(exchange).dispatch().invoke(exchange, handler);
    }

    static int status(Object exchange) throws Throwable {
        return (int) types(exchange).status().invoke(exchange);
    }

    /** An {@code HttpHandler}. */
    static Object handler(Object exchange, Handling handling) {
        Class<?> type = types(exchange).handler();
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method.getName(), args);
            }
            handling.run();
            return null;
        });
    }

    static Object ofObject(Object proxy, String method, Object[] args) {
        return switch (method) {
            case "equals" -> proxy == args[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "lockfence";
        };
    }

    static Class<?> wrapperType(Object exchange) {
        return types(exchange).wrapper();
    }

    static Class<?> conduitType(Object exchange) {
        return types(exchange).conduit();
    }

    static void addWrapper(Object exchange, Object wrapper) throws Throwable {
        types(exchange).addWrapper().invoke(exchange, wrapper);
    }

    /** Sends a whole answer, and ends the exchange. */
    static void answer(Object exchange, Answer answer) throws Throwable {
        setStatus(exchange, answer.status());
        fields(exchange, answer);
        Object sender = types(exchange).sender().invoke(exchange);
        SEND.get(sender.getClass()).invoke(sender, ByteBuffer.wrap(answer.body()));
    }

    static boolean isStarted(Object exchange) throws Throwable {
        return (boolean) types(exchange).started().invoke(exchange);
    }

    static void setStatus(Object exchange, int status) throws Throwable {
        types(exchange).setStatus().invoke(exchange, status);
    }

    /** The fields of an answer, in place of what was set. */
    static void fields(Object exchange, Answer answer) throws Throwable {
        Object map = types(exchange).responseFields().invoke(exchange);
        Fields fields = FIELDS.get(map.getClass());
        for (Object name : List.copyOf((Collection<?>) fields.names().invoke(map))) {
            if (!Inbound.survives(name.toString())) {
                fields.remove().invoke(map, name.toString());
            }
        }
        put(map, fields, "Content-Type", answer.contentType());
        put(map, fields, "Content-Length", Integer.toString(answer.body().length));
        if (answer.retryAfter() > 0) {
            put(map, fields, "Retry-After", Integer.toString(answer.retryAfter()));
        }
    }

    private static void put(Object map, Fields fields, String name, String value) throws Throwable {
        fields.put().invoke(map, fields.name().invoke(name), value);
    }

    private static Types types(Object exchange) {
        return TYPES.get(exchange.getClass());
    }
}
