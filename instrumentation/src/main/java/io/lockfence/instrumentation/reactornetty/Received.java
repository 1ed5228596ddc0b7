/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.Workers;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Requests that come in. One that may carry a token waits for its claims away from its event loop; its body is kept by Reactor Netty until somebody asks for it. Others
 * are received where they are.
 */
final class Received {
    private static final Lease[] NONE = {};

    /** How long a loop that takes no more tasks is left alone. */
    private static final long PAUSE_MILLIS = 10;

    /** The request, admitted, that the current thread goes on with. */
    private static final ThreadLocal<Inbound> GOING_ON = new ThreadLocal<>();

    private static final ClassValue<Received> OF = new ClassValue<>() {
        @Override
        protected Received computeValue(Class<?> operations) {
            return new Received(operations);
        }
    };

    private final MethodHandle onStateChange;
    private final MethodHandle channel;
    private final MethodHandle eventLoop;
    private final MethodHandle isActive;
    private final MethodHandle close;
    private final MethodHandle remoteAddress;
    private final MethodHandle sentHeaders;
    private final MethodHandle method;
    private final MethodHandle methodName;
    private final MethodHandle path;
    private final MethodHandle requestHeaders;
    private final MethodHandle getAll;
    private final MethodHandle status;
    private final MethodHandle code;
    private final MethodHandle response;
    private final MethodHandle setStatus;
    private final MethodHandle statusOf;
    private final MethodHandle responseHeaders;
    private final MethodHandle setHeader;
    private final MethodHandle removeHeader;
    private final MethodHandle sendBytes;
    private final MethodHandle disposeSubscriber;
    private final MethodHandle wrap;
    private final MethodHandle release;

    private Received(Class<?> operations) {
        Class<?> channels = Handles.type(operations, "io.netty.channel.Channel");
        Class<?> fields = Handles.type(operations, "io.netty.handler.codec.http.HttpHeaders");
        onStateChange = Handles.method(
                Handles.type(operations, "reactor.netty.http.server.HttpServer$HttpServerHandle"),
                "onStateChange",
                Handles.type(operations, "reactor.netty.Connection"),
                Handles.type(operations, "reactor.netty.ConnectionObserver$State"));
        channel = Handles.method(operations, "channel");
        eventLoop = Handles.method(channels, "eventLoop");
        isActive = Handles.method(channels, "isActive");
        close = Handles.method(channels, "close");
        remoteAddress = Handles.method(channels, "remoteAddress");
        sentHeaders = Handles.method(operations, "hasSentHeaders");
        method = Handles.method(operations, "method");
        methodName = Handles.method(Handles.type(operations, "io.netty.handler.codec.http.HttpMethod"), "name");
        path = Handles.method(operations, "uri");
        requestHeaders = Handles.method(operations, "requestHeaders");
        getAll = Handles.method(fields, "getAll", String.class);
        status = Handles.method(operations, "status");
        code = Handles.method(Handles.type(operations, "io.netty.handler.codec.http.HttpResponseStatus"), "code");
        Class<?> statuses = Handles.type(operations, "io.netty.handler.codec.http.HttpResponseStatus");
        response = Handles.getter(operations, "nettyResponse");
        setStatus = Handles.method(
                Handles.type(operations, "io.netty.handler.codec.http.HttpResponse"), "setStatus", statuses);
        statusOf = Handles.method(statuses, "valueOf", int.class);
        responseHeaders = Handles.method(operations, "responseHeaders");
        setHeader = Handles.method(fields, "set", String.class, Object.class);
        removeHeader = Handles.method(fields, "remove", String.class);
        sendBytes = Handles.method(
                Handles.type(operations, "reactor.netty.NettyOutbound"),
                "sendByteArray",
                Handles.type(operations, "org.reactivestreams.Publisher"));
        disposeSubscriber = Handles.method(Handles.type(operations, "reactor.netty.Connection"), "disposeSubscriber");
        wrap = Handles.method(Handles.type(operations, "io.netty.buffer.Unpooled"), "wrappedBuffer", byte[].class);
        release = Handles.method(Handles.type(operations, "io.netty.util.ReferenceCountUtil"), "release", Object.class);
    }

    private static Received of(Object operations) {
        return OF.get(operations.getClass());
    }

    /**
     * The state of a connection changes; a request that has come in is one such change.
     *
     * @return a {@link Turn} in which the service runs; {@code true} if it does not, or not yet; null for other changes
     */
    static Object arriving(Object handle, Object operations, Object state) {
        if (!(state instanceof Enum<?> change) || !change.name().equals("REQUEST_RECEIVED")) {
            return null;
        }
        Inbound admitted = GOING_ON.get();
        if (admitted != null) {
            GOING_ON.remove();
            return Turn.begin(admitted);
        }
        if (!Inbound.wanted()) {
            return LeaseContext.idle() ? null : Turn.begin(NONE);
        }
        Arriving request = new Arrived(operations);
        if (!Inbound.mayCarryToken(request)) {
            return admittedHere(operations, Inbound.admit(operations, request));
        }
        try {
            Received netty = of(operations);
            Object channel = netty.channel.invoke(operations);
            Executor loop = (Executor) netty.eventLoop.invoke(channel);
            Workers.forReception(() -> {
                Inbound received = Inbound.admit(operations, request);
                netty.hand(() -> goOn(handle, operations, state, received), loop, channel);
            });
            return true;
        } catch (RejectedExecutionException e) {
            // No fault of anybody's.
            LeaseEvents events = Seams.leaseEvents();
            if (events != null) {
                events.degraded(
                        ReactorNettyLibrary.NAME,
                        "too many requests with a token waited for their claims: more were answered with 503, or let by where no enforced rule names them");
            }
            return admittedHere(operations, Inbound.admitUnreceived(operations, request));
        } catch (Throwable t) {
            Seams.fault(t);
            return admittedHere(operations, Inbound.admitUnreceived(operations, request));
        }
    }

    /** @return as {@link #arriving} */
    private static Object admittedHere(Object operations, Inbound admitted) {
        if (admitted.answer() == null) {
            return Turn.begin(admitted);
        }
        answer(operations, admitted.answer());
        return true;
    }

    /** A loop may be bounded, and full for a while. One that ends closes its channels, and nobody waits any more. */
    private void hand(Runnable task, Executor loop, Object channel) {
        while (true) {
            try {
                loop.execute(task);
                return;
            } catch (RejectedExecutionException e) {
                if ((boolean) call(isActive, channel)) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                } else {
                    return;
                }
            }
        }
    }

    private static void goOn(Object handle, Object operations, Object state, Inbound admitted) {
        Received netty = of(operations);
        try {
            if (!(boolean) netty.isActive.invoke(netty.channel.invoke(operations))) {
                return;
            }
            if (admitted.answer() != null) {
                answer(operations, admitted.answer());
                return;
            }
            GOING_ON.set(admitted);
            try {
                Object unused = netty.onStateChange.invoke(handle, operations, state);
            } finally {
                GOING_ON.remove();
            }
        } catch (Throwable t) {
            Seams.fault(t);
            close(operations);
        }
    }

    /** Answers for the service, which has not been asked. */
    private static void answer(Object operations, Answer answer) {
        try {
            Received netty = of(operations);
            netty.head(operations, answer);
            Reactor reactor = Reactor.of(operations);
            Object sent = netty.sendBytes.invoke(operations, reactor.monoJust(answer.body()));
            reactor.subscribe(sent, netty.disposeSubscriber.invoke(operations));
        } catch (Throwable t) {
            Seams.fault(t);
            close(operations);
        }
    }

    /** Nothing can be said any more: the client is not left waiting. */
    private static void close(Object operations) {
        try {
            Received netty = of(operations);
            Object unused = netty.close.invoke(netty.channel.invoke(operations));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * The service answers with a body.
     *
     * @return the body that goes out instead; null to leave it
     */
    static Object answering(Object operations, Object body) {
        try {
            Inbound admitted = Inbound.of(operations);
            Answer late =
                    admitted == null || (boolean) of(operations).sentHeaders.invoke(operations)
                            ? null
                            : late(operations, admitted);
            if (late == null) {
                return null;
            }
            Received netty = of(operations);
            netty.head(operations, late);
            Consumer<Object> released = netty::release;
            Reactor reactor = Reactor.of(operations);
            reactor.drain(body, released);
            return reactor.monoJust(netty.wrap.invoke((Object) late.body()));
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /**
     * An answer goes out as a whole.
     *
     * @return the body that goes out instead; null to leave it
     */
    static Object completing(Object operations, Object body) {
        try {
            Inbound admitted = Inbound.of(operations);
            Answer late = admitted == null ? null : late(operations, admitted);
            if (late == null) {
                return null;
            }
            Received netty = of(operations);
            netty.head(operations, late);
            netty.release(body);
            return netty.wrap.invoke((Object) late.body());
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** What takes the place of the status that is set now. One that tells of no failure may still become one that does. */
    private static Answer late(Object operations, Inbound admitted) throws Throwable {
        Received netty = of(operations);
        int status = (int) netty.code.invoke(netty.status.invoke(operations));
        return status < 500 ? null : admitted.instead(status);
    }

    private void head(Object operations, Answer answer) throws Throwable {
        // Not through the operation itself, which takes no status any more when it begins to write.
        Object unused = setStatus.invoke(response.invoke(operations), statusOf.invoke((Object) answer.status()));
        Object fields = responseHeaders.invoke(operations);
        for (String name : new String[] {"transfer-encoding", "content-encoding", "etag", "retry-after"}) {
            unused = removeHeader.invoke(fields, (Object) name);
        }
        unused = setHeader.invoke(fields, (Object) "content-type", (Object) answer.contentType());
        unused = setHeader.invoke(fields, (Object) "content-length", (Object) String.valueOf(answer.body().length));
        if (answer.retryAfter() > 0) {
            unused = setHeader.invoke(fields, (Object) "retry-after", (Object) String.valueOf(answer.retryAfter()));
        }
    }

    private void release(Object buffer) {
        try {
            Object unused = release.invoke(buffer);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private record Arrived(Object operations) implements Arriving {
        @Override
        public String method() throws Throwable {
            Received netty = of(operations);
            return (String) netty.methodName.invoke(netty.method.invoke(operations));
        }

        @Override
        public String path() throws Throwable {
            return Paths.seen((String) of(operations).path.invoke(operations));
        }

        @Override
        public String rawPath() throws Throwable {
            return Paths.raw((String) of(operations).path.invoke(operations));
        }

        @Override
        @SuppressWarnings("unchecked")
        public List<String> header(String name) throws Throwable {
            Received netty = of(operations);
            return (List<String>) netty.getAll.invoke(netty.requestHeaders.invoke(operations), (Object) name);
        }

        @Override
        public String peer() throws Throwable {
            Received netty = of(operations);
            Object address = netty.remoteAddress.invoke(netty.channel.invoke(operations));
            return address instanceof InetSocketAddress internet ? Inbound.numbers(internet) : null;
        }
    }

    private static Object call(MethodHandle handle, Object on) {
        try {
            return handle.invoke(on);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
