/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** Requests of Jetty 9.4 to 11, known by their {@code HttpChannel}. */
final class Channels {
    /** Of {@code HttpChannel}. */
    private record Types(MethodHandle request, MethodHandle response, MethodHandle committed, MethodHandle endPoint) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> channel) {
            return new Types(
                    PublicMethods.method(channel, "getRequest"),
                    PublicMethods.method(channel, "getResponse"),
                    PublicMethods.method(channel, "isCommitted"),
                    PublicMethods.method(channel, "getEndPoint"));
        }
    };

    /** Of {@code Request}. */
    private record Requested(
            MethodHandle method,
            MethodHandle pathInfo,
            MethodHandle uri,
            MethodHandle fields,
            MethodHandle version,
            MethodHandle setHandled) {}

    private static final ClassValue<Requested> REQUESTED = new ClassValue<>() {
        @Override
        protected Requested computeValue(Class<?> request) {
            return new Requested(
                    PublicMethods.method(request, "getMethod"),
                    PublicMethods.method(request, "getPathInfo"),
                    PublicMethods.method(request, "getRequestURI"),
                    PublicMethods.method(request, "getHttpFields"),
                    PublicMethods.method(request, "getHttpVersion"),
                    PublicMethods.method(request, "setHandled", "boolean"));
        }
    };

    /** Of {@code Response}. */
    private record Answered(
            MethodHandle status,
            MethodHandle setStatus,
            MethodHandle setHeader,
            MethodHandle fields,
            MethodHandle output) {}

    private static final ClassValue<Answered> ANSWERED = new ClassValue<>() {
        @Override
        protected Answered computeValue(Class<?> response) {
            return new Answered(
                    PublicMethods.method(response, "getStatus"),
                    PublicMethods.method(response, "setStatus", "int"),
                    PublicMethods.method(response, "setHeader", "String", "String"),
                    PublicMethods.method(response, "getHttpFields"),
                    PublicMethods.method(response, "getOutputStream"));
        }
    };

    /** Of {@code MetaData.Response}. */
    private static final ClassValue<MethodHandle> STATUS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> info) {
            return PublicMethods.method(info, "getStatus");
        }
    };

    private record Arrived(Object channel) implements Arriving {
        private Object request() throws Throwable {
            return TYPES.get(channel.getClass()).request().invoke(channel);
        }

        private Object read(Function<Requested, MethodHandle> getter) throws Throwable {
            Object request = request();
            return getter.apply(REQUESTED.get(request.getClass())).invoke(request);
        }

        @Override
        public String method() throws Throwable {
            return (String) read(Requested::method);
        }

        /** Before any context has taken its part of it: the whole path. "*" is none. */
        @Override
        public String path() throws Throwable {
            String path = (String) read(Requested::pathInfo);
            return path == null || !path.startsWith("/") ? null : path;
        }

        @Override
        public String rawPath() throws Throwable {
            return (String) read(Requested::uri);
        }

        @Override
        public List<String> header(String name) throws Throwable {
            return Fields.values(read(Requested::fields), name);
        }

        @Override
        public String peer() throws Throwable {
            return Requests.peer(TYPES.get(channel.getClass()).endPoint().invoke(channel));
        }
    }

    private Channels() {}

    static LeaseContext begins(Object channel) {
        return Inbound.begin(channel);
    }

    static void ended(LeaseContext before, Object channel) {
        Inbound inbound = Inbound.of(channel);
        Units.end(before, inbound == null ? null : inbound.name());
    }

    static void recycled(Object channel) {
        Inbound.forget(channel);
    }

    /** @return the answer if the server is not to handle the request; it has it already */
    static Object admits(Object channel) {
        if (!Inbound.wanted() || Inbound.of(channel) != null) {
            return null;
        }
        Inbound inbound = Inbound.admit(channel, new Arrived(channel));
        if (inbound.answer() == null) {
            inbound.enter();
            return null;
        }
        answer(channel, inbound.answer());
        return inbound.answer();
    }

    /** The service does not run, whatever becomes of this. */
    private static void answer(Object channel, Answer answer) {
        try {
            Types types = TYPES.get(channel.getClass());
            Object request = types.request().invoke(channel);
            REQUESTED.get(request.getClass()).setHandled().invoke(request, true);
            write(types.response().invoke(channel), answer);
        } catch (IOException e) {
            // The client has gone: the server finds that out by itself.
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** Into the buffer: Jetty sends it when it has seen to the rest of the request. */
    private static void write(Object response, Answer answer) throws Throwable {
        Answered types = ANSWERED.get(response.getClass());
        types.setStatus().invoke(response, answer.status());
        types.setHeader().invoke(response, "Content-Type", answer.contentType());
        if (answer.retryAfter() > 0) {
            types.setHeader().invoke(response, "Retry-After", Integer.toString(answer.retryAfter()));
        }
        ((OutputStream) types.output().invoke(response)).write(answer.body());
    }

    /**
     * @param info null for what the response says, or if it is committed
     * @return head and content to be sent instead; null to leave them
     */
    static Object[] sending(Object channel, Object info, ByteBuffer content) {
        Inbound inbound = Inbound.of(channel);
        if (inbound == null || inbound.answer() != null) {
            return null;
        }
        if (inbound.isReplaced()) {
            return new Object[] {info, Content.nothing(content)};
        }
        try {
            Types types = TYPES.get(channel.getClass());
            if ((boolean) types.committed().invoke(channel)) {
                return null;
            }
            Object response = types.response().invoke(channel);
            Answered answered = ANSWERED.get(response.getClass());
            int status = info == null
                    ? (int) answered.status().invoke(response)
                    : (int) STATUS.get(info.getClass()).invoke(info);
            Answer answer = status < 200 ? null : inbound.instead(status);
            if (answer == null) {
                return null;
            }
            Object request = types.request().invoke(channel);
            Object head = Fields.response(
                    answer,
                    REQUESTED.get(request.getClass()).version().invoke(request),
                    answered.fields().invoke(response));
            answered.setStatus().invoke(response, answer.status());
            inbound.replaced();
            Content.nothing(content);
            return new Object[] {head, ByteBuffer.wrap(answer.body())};
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }
}
