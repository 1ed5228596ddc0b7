/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.Workers;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Requests that come in. Each waits for its reception away from its event loop; its body is kept by Reactor Netty until somebody asks for it. */
final class Received {
    private static final Lease[] NONE = {};

    /** Of a request about which the rules say nothing. */
    private static final Reception NOTHING = new Reception() {
        @Override
        public Answer answer() {
            return null;
        }

        @Override
        public Lease[] leases() {
            return NONE;
        }

        @Override
        public Answer instead(int status) {
            return null;
        }
    };

    /** The reception of the request that the current thread goes on with. */
    private static final ThreadLocal<Reception> GOING_ON = new ThreadLocal<>();

    private static final Beside<Object, Reception> RECEPTIONS = new Beside<>();

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
    private final MethodHandle remoteAddress;
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
        remoteAddress = Handles.method(channels, "remoteAddress");
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
        Reception reception = GOING_ON.get();
        if (reception != null) {
            GOING_ON.remove();
            if (reception != NOTHING) {
                RECEPTIONS.put(operations, reception);
                Turn.remember(operations, reception.leases());
            }
            return Turn.begin(reception.leases());
        }
        Effects effects = Seams.effects();
        if (effects == null || !effects.receives()) {
            return LeaseContext.idle() ? null : Turn.begin(NONE);
        }
        try {
            Executor loop = (Executor)
                    of(operations).eventLoop.invoke(of(operations).channel.invoke(operations));
            Workers.onWorker(() -> {
                        Reception received = receive(effects, operations);
                        loop.execute(() -> goOn(handle, operations, state, received));
                    })
                    .run();
            return true;
        } catch (Throwable t) {
            Seams.fault(t);
            return Turn.begin(NONE);
        }
    }

    private static Reception receive(Effects effects, Object operations) {
        try {
            Reception received = effects.receiving(of(operations).incoming(operations));
            return received == null ? NOTHING : received;
        } catch (RuntimeException | Error e) {
            // Under no lease: what the rules require of a request is asked for at the database as well.
            Seams.fault(e);
            return NOTHING;
        }
    }

    private static void goOn(Object handle, Object operations, Object state, Reception reception) {
        Received netty = of(operations);
        try {
            if (!(boolean) netty.isActive.invoke(netty.channel.invoke(operations))) {
                return;
            }
            if (reception.answer() != null) {
                netty.answer(operations, reception.answer());
                return;
            }
            GOING_ON.set(reception);
            try {
                Object unused = netty.onStateChange.invoke(handle, operations, state);
            } finally {
                GOING_ON.remove();
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** Answers for the service, which has not been asked. */
    private void answer(Object operations, Answer answer) throws Throwable {
        head(operations, answer);
        Reactor reactor = Reactor.of(operations);
        Object sent = sendBytes.invoke(operations, reactor.monoJust(answer.body()));
        reactor.subscribe(sent, disposeSubscriber.invoke(operations));
    }

    /**
     * The service answers with a body.
     *
     * @return the body that goes out instead; null to leave it
     */
    static Object answering(Object operations, Object body) {
        try {
            Answer late = late(operations);
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
            Answer late = late(operations);
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

    /** What takes the place of the status that is set now; asked for once. */
    private static Answer late(Object operations) throws Throwable {
        Reception reception = RECEPTIONS.isEmpty() ? null : RECEPTIONS.get(operations);
        if (reception == null) {
            return null;
        }
        Received netty = of(operations);
        Answer late = reception.instead((int) netty.code.invoke(netty.status.invoke(operations)));
        if (late != null) {
            RECEPTIONS.remove(operations);
        }
        return late;
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

    private Incoming incoming(Object operations) {
        return new Incoming() {
            @Override
            public String method() {
                return (String) call(methodName, call(Received.this.method, operations));
            }

            @Override
            public String path() {
                return Paths.seen((String) call(path, operations));
            }

            @Override
            public List<String> header(String name) {
                try {
                    @SuppressWarnings("unchecked")
                    List<String> values =
                            (List<String>) getAll.invoke(requestHeaders.invoke(operations), (Object) name);
                    return values;
                } catch (Throwable t) {
                    throw new IllegalStateException(t);
                }
            }

            @Override
            public String peer() {
                Object address = call(remoteAddress, call(channel, operations));
                InetAddress peer = address instanceof InetSocketAddress inet ? inet.getAddress() : null;
                return peer == null ? null : peer.getHostAddress().replaceFirst("%.*", "");
            }
        };
    }

    private static Object call(MethodHandle handle, Object on) {
        try {
            return handle.invoke(on);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
