/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** Requests of Jetty 12, known by the innermost {@code Request} of its core. */
final class CoreRequests {
    /** The core's request by its head. */
    private static final Beside<Object, WeakReference<Object>> BY_HEAD = new Beside<>();

    /** Of {@code Request}. */
    private record Types(
            MethodHandle method,
            MethodHandle uri,
            MethodHandle fields,
            MethodHandle connection,
            MethodHandle consumeAvailable) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> request) {
            return new Types(
                    PublicMethods.method(request, "getMethod"),
                    PublicMethods.method(request, "getHttpURI"),
                    PublicMethods.method(request, "getHeaders"),
                    PublicMethods.method(request, "getConnectionMetaData"),
                    PublicMethods.method(request, "consumeAvailable"));
        }
    };

    /** Of {@code HttpURI}. */
    private record Uri(MethodHandle raw, MethodHandle canonical) {}

    private static final ClassValue<Uri> URI = new ClassValue<>() {
        @Override
        protected Uri computeValue(Class<?> uri) {
            return new Uri(PublicMethods.method(uri, "getPath"), PublicMethods.method(uri, "getCanonicalPath"));
        }
    };

    /** Of {@code ConnectionMetaData}: the peer as the service sees it, and the connection itself. */
    private record Connected(MethodHandle connection, MethodHandle address) {}

    private static final ClassValue<Connected> CONNECTED = new ClassValue<>() {
        @Override
        protected Connected computeValue(Class<?> metaData) {
            return new Connected(
                    PublicMethods.method(metaData, "getConnection"),
                    PublicMethods.method(metaData, "getRemoteSocketAddress"));
        }
    };

    private static final ClassValue<MethodHandle> END_POINT = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> connection) {
            return PublicMethods.method(connection, "getEndPoint");
        }
    };

    /** Of {@code Invocable.InvocationType}. */
    private static final ClassValue<Object> BLOCKING = new ClassValue<>() {
        @Override
        protected Object computeValue(Class<?> type) {
            for (Object constant : type.getEnumConstants()) {
                if (((Enum<?>) constant).name().equals("BLOCKING")) {
                    return constant;
                }
            }
            throw new IllegalStateException(type + " has no BLOCKING");
        }
    };

    /** Of {@code Response}. */
    private record Answered(MethodHandle setStatus, MethodHandle fields, MethodHandle write) {}

    private static final ClassValue<Answered> ANSWERED = new ClassValue<>() {
        @Override
        protected Answered computeValue(Class<?> response) {
            return new Answered(
                    PublicMethods.method(response, "setStatus", "int"),
                    PublicMethods.method(response, "getHeaders"),
                    PublicMethods.method(response, "write", "boolean", "ByteBuffer", "Callback"));
        }
    };

    /** Of {@code MetaData.Response}. */
    private record Head(MethodHandle status, MethodHandle version, MethodHandle fields) {}

    private static final ClassValue<Head> HEAD = new ClassValue<>() {
        @Override
        protected Head computeValue(Class<?> head) {
            return new Head(
                    PublicMethods.method(head, "getStatus"),
                    PublicMethods.method(head, "getHttpVersion"),
                    PublicMethods.method(head, "getHttpFields"));
        }
    };

    /** Of {@code Callback}. */
    private static final ClassValue<MethodHandle> FAILED = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> callback) {
            return PublicMethods.method(callback, "failed", "Throwable");
        }
    };

    private static final ClassValue<MethodHandle> PUT = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> fields) {
            return PublicMethods.method(fields, "put", "String", "String");
        }
    };

    /**
     * @param request as customizers have left it: what handlers see
     * @param core as it came
     */
    private record Arrived(Object request, Object core) implements Arriving {
        private static Types types(Object request) {
            return TYPES.get(request.getClass());
        }

        @Override
        public String method() throws Throwable {
            return (String) types(request).method().invoke(request);
        }

        /** As handlers see it, with some characters still encoded; servlets decode the rest. Of "*" there is none. */
        @Override
        public String path() throws Throwable {
            Object uri = types(request).uri().invoke(request);
            String path = (String) URI.get(uri.getClass()).canonical().invoke(uri);
            return path == null || !path.startsWith("/") ? null : path;
        }

        @Override
        public String rawPath() throws Throwable {
            return raw(request);
        }

        private static String raw(Object request) throws Throwable {
            Object uri = types(request).uri().invoke(request);
            return (String) URI.get(uri.getClass()).raw().invoke(uri);
        }

        @Override
        public List<String> earlierPaths() throws Throwable {
            String now = raw(request);
            String before = request == core ? now : raw(core);
            return before == null || before.equals(now) ? List.of() : List.of(before);
        }

        @Override
        public List<String> header(String name) throws Throwable {
            return Fields.values(types(core).fields().invoke(core), name);
        }

        /** Not what a customizer of the service has made of it, which may come from a field. */
        @Override
        public String peer() throws Throwable {
            Object metaData = types(core).connection().invoke(core);
            Connected connected = CONNECTED.get(metaData.getClass());
            Object connection = connected.connection().invoke(metaData);
            if (connection == null) {
                SocketAddress address = (SocketAddress) connected.address().invoke(metaData);
                return address instanceof InetSocketAddress internet ? Inbound.numbers(internet) : null;
            }
            return Requests.peer(END_POINT.get(connection.getClass()).invoke(connection));
        }
    }

    private record Turn(LeaseContext before, Inbound inbound) {}

    private CoreRequests() {}

    static void made(Object request, Object head) {
        if (Inbound.wanted()) {
            BY_HEAD.put(head, new WeakReference<>(request));
        }
    }

    /** @return the answer if the server is not to handle the request; it has it already. Else a turn, for {@link #handled} */
    static Object admits(Object server, Object request, Object response, Object callback) {
        if (!Inbound.wanted()) {
            return new Turn(LeaseContext.beginUnit(), null);
        }
        Object core = unwrapped(server, request);
        Inbound inbound = Inbound.of(core);
        if (inbound == null) {
            inbound = Inbound.admit(core, new Arrived(request, core));
        }
        if (inbound.answer() != null) {
            answer(request, response, callback, inbound.answer());
            return inbound.answer();
        }
        return new Turn(inbound.begin(), inbound);
    }

    private static Object unwrapped(Object server, Object request) {
        try {
            return Requests.unwrapped(server.getClass(), request);
        } catch (Throwable t) {
            Seams.fault(t);
            return request;
        }
    }

    /** @return true for a request that was answered; null to leave it to the server's handlers */
    static Object handled(Object turn) {
        if (turn instanceof Turn ended) {
            Units.end(
                    ended.before(),
                    ended.inbound() == null ? null : ended.inbound().name());
        }
        return turn instanceof Answer ? true : null;
    }

    /** The service does not run, whatever becomes of this. */
    private static void answer(Object request, Object response, Object callback, Answer answer) {
        try {
            Answered types = ANSWERED.get(response.getClass());
            types.setStatus().invoke(response, answer.status());
            Object fields = types.fields().invoke(response);
            MethodHandle put = PUT.get(fields.getClass());
            put.invoke(fields, "Content-Type", answer.contentType());
            put.invoke(fields, "Content-Length", Integer.toString(answer.body().length));
            if (answer.retryAfter() > 0) {
                put.invoke(fields, "Retry-After", Integer.toString(answer.retryAfter()));
            }
            if (!(boolean) TYPES.get(request.getClass()).consumeAvailable().invoke(request)) {
                // The rest of the request is still to come: the connection cannot be used for another.
                put.invoke(fields, "Connection", "close");
            }
            types.write().invoke(response, true, ByteBuffer.wrap(answer.body()), callback);
        } catch (Throwable t) {
            Seams.fault(t);
            fail(callback, t);
        }
    }

    /** Nothing can be said any more: the client is not left waiting. */
    private static void fail(Object callback, Throwable fault) {
        try {
            FAILED.get(callback.getClass()).invoke(callback, fault);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** @return what is to be said in its place while a claim may come before the handlers: none of them runs on a selector then; null to leave it */
    static Object mayBlock(Object invocationType) {
        return Inbound.wanted() ? BLOCKING.get(((Enum<?>) invocationType).getDeclaringClass()) : null;
    }

    static Runnable turn(Object request, Runnable task) {
        return Inbound.turn(request, task);
    }

    static Object joins(Object request) {
        return Inbound.join(request);
    }

    static Object joinsServlets(Object channel) {
        try {
            return Inbound.join(Inbound.ever() ? Requests.key(channel) : null);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    static void leaves(Object joined) {
        Inbound.leave(joined);
    }

    /**
     * @param response its head; null once that was sent
     * @return head and content to be sent instead; null to leave them
     */
    static Object[] sending(Object request, Object response, ByteBuffer content) {
        Inbound inbound = Inbound.ever() ? byHead(request) : null;
        if (inbound == null || inbound.answer() != null) {
            return null;
        }
        if (inbound.isReplaced()) {
            return new Object[] {response, Content.nothing(content)};
        }
        if (response == null) {
            return null;
        }
        try {
            Head head = HEAD.get(response.getClass());
            int status = (int) head.status().invoke(response);
            Answer answer = status < 200 ? null : inbound.instead(status);
            if (answer == null) {
                return null;
            }
            Object instead = Fields.response(
                    answer, head.version().invoke(response), head.fields().invoke(response));
            inbound.replaced();
            Content.nothing(content);
            return new Object[] {instead, ByteBuffer.wrap(answer.body())};
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    private static Inbound byHead(Object head) {
        WeakReference<Object> request = BY_HEAD.get(head);
        return request == null ? null : Inbound.of(request.get());
    }
}
