/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.instrumentation.Callbacks;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.LeasedRequest;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Executor;

/** Calls that the service makes. An option of the call carries what it was asked for under, through interceptors, queues, retries and hedges. */
final class Calls {
    /** One call under leases. */
    private static final class Call {
        final LeasedRequest request;
        /** Null where nothing is to be asked. */
        final String url;
        /** Where it was refused when it was asked for. */
        FencedException refusal;

        Call(LeasedRequest request, String url) {
            this.request = request;
            this.url = url;
        }

        /** Thrown where the call is asked for, it comes out where it starts: a refusal closes a call, and there is none yet. */
        void claim() {
            try {
                request.askAhead("POST", url);
            } catch (FencedException refused) {
                refusal = refused;
            }
        }

        String header() {
            if (refusal != null) {
                throw refusal;
            }
            return request.ask("POST", url);
        }
    }

    private static final ClassValue<Calls> OF = new ClassValue<>() {
        @Override
        protected Calls computeValue(Class<?> grpc) {
            return new Calls(grpc);
        }
    };

    private static final ClassValue<MethodHandle> OPTIONS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> call) {
            return Handles.getter(call, "callOptions");
        }
    };

    private static final ClassValue<MethodHandle> CALL = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> streamListener) {
            return Handles.getter(streamListener, "this$0");
        }
    };

    private static final int PLAINTEXT_PORT = 80;

    /** Whether any call was ever asked for under leases. */
    private static volatile boolean met;

    private final Headers headers;
    private final Statuses statuses;
    private final Object key;
    private final MethodHandle getOption;
    private final MethodHandle withOption;
    private final MethodHandle optionAuthority;
    private final MethodHandle channelAuthority;
    private final MethodHandle resolverArguments;
    private final MethodHandle defaultPort;
    private final MethodHandle methodName;
    private final MethodHandle callExecutor;
    private final MethodHandle context;
    private final MethodHandle wrap;
    private final MethodHandle stream;
    private final MethodHandle setStream;
    private final MethodHandle cancelCalled;
    private final MethodHandle onClose;
    private final MethodHandle failing;
    private final Object noStream;

    private Calls(Class<?> grpc) {
        headers = new Headers(grpc);
        statuses = new Statuses(grpc);
        Class<?> options = Handles.type(grpc, "io.grpc.CallOptions");
        Class<?> keys = Handles.type(grpc, "io.grpc.CallOptions$Key");
        Class<?> channel = Handles.type(grpc, "io.grpc.internal.ManagedChannelImpl");
        Class<?> call = Handles.type(grpc, "io.grpc.internal.ClientCallImpl");
        Class<?> status = Handles.type(grpc, "io.grpc.Status");
        Class<?> metadata = Handles.type(grpc, "io.grpc.Metadata");
        Class<?> tracer = Handles.type(grpc, "io.grpc.ClientStreamTracer");
        // Here, so that what is missing is known before any call is met.
        OPTIONS.get(call);
        CALL.get(Handles.type(grpc, "io.grpc.internal.ClientCallImpl$ClientStreamListenerImpl"));
        getOption = Handles.method(options, "getOption", keys);
        withOption = Handles.method(options, "withOption", keys, Object.class);
        optionAuthority = Handles.method(options, "getAuthority");
        channelAuthority = Handles.method(channel, "authority");
        resolverArguments = Handles.getter(channel, "nameResolverArgs");
        defaultPort = Handles.method(Handles.type(grpc, "io.grpc.NameResolver$Args"), "getDefaultPort");
        methodName = Handles.method(Handles.type(grpc, "io.grpc.MethodDescriptor"), "getFullMethodName");
        callExecutor = Handles.getter(call, "callExecutor");
        context = Handles.getter(call, "context");
        wrap = Handles.method(Handles.type(grpc, "io.grpc.Context"), "wrap", Runnable.class);
        stream = Handles.getter(call, "stream");
        setStream = Handles.setter(call, "stream");
        cancelCalled = Handles.getter(call, "cancelCalled");
        onClose = Handles.method(Handles.type(grpc, "io.grpc.ClientCall$Listener"), "onClose", status, metadata);
        failing = Handles.constructor(
                Handles.type(grpc, "io.grpc.internal.FailingClientStream"), status, tracer.arrayType());
        noStream = Handles.constant(Handles.type(grpc, "io.grpc.internal.NoopClientStream"), "INSTANCE");
        try {
            key = Handles.method(keys, "create", String.class).invoke((Object) "lockfence");
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** By a class that every transport is loaded with, its own loader's or not. */
    private static Calls of(Object callOptions) {
        return OF.get(callOptions.getClass());
    }

    /**
     * The service asks for a call, on its thread: the claims are made here.
     *
     * @return the options to call with instead; null to leave them
     */
    static Object asked(Object channel, Object method, Object options) {
        LeasedRequest request = LeasedRequest.ofThisThread();
        if (request == null) {
            return null;
        }
        try {
            Calls grpc = of(options);
            Call call = new Call(request, request.asks() ? grpc.url(channel, method, options) : null);
            call.claim();
            Object carrying = grpc.withOption.invoke(options, grpc.key, (Object) call);
            met = true;
            return carrying;
        } catch (Throwable t) {
            request.fault(t);
            return null;
        }
    }

    /** A call starts; waiting for a name to be resolved may lie between. Returns true if it was refused, and has been closed. */
    static boolean starting(Object call, Object listener, Object metadata) throws Throwable {
        if (!met) {
            return false;
        }
        Object options = OPTIONS.get(call.getClass()).invoke(call);
        Calls grpc = of(options);
        Call ours = (Call) grpc.getOption.invoke(options, grpc.key);
        if (ours == null
                || !ours.request.asks()
                || grpc.stream.invoke(call) != null
                || (boolean) grpc.cancelCalled.invoke(call)) {
            return false;
        }
        FencedException refusal = grpc.set(metadata, ours);
        if (refusal == null) {
            return false;
        }
        Object status = grpc.statuses.of(refusal);
        Object trailers = grpc.headers.none();
        grpc.setStream.invoke(call, grpc.noStream);
        Runnable close = () -> {
            Object begun = Callbacks.begin(ours.request.under());
            try {
                grpc.close(listener, status, trailers);
            } finally {
                Callbacks.end(begun);
            }
        };
        ((Executor) grpc.callExecutor.invoke(call))
                .execute((Runnable) grpc.wrap.invoke(grpc.context.invoke(call), (Object) close));
        return true;
    }

    /** The listener of a call is called back. Returns what {@link Callbacks#end} is given. */
    static Object told(Object call) {
        if (!met) {
            return null;
        }
        try {
            Object options = OPTIONS.get(call.getClass()).invoke(call);
            Calls grpc = of(options);
            Call ours = (Call) grpc.getOption.invoke(options, grpc.key);
            return ours == null ? null : Callbacks.begin(ours.request.under());
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** As {@link #told}, in a piece of work of a call's stream listener. */
    static Object toldBy(Object streamListener) {
        if (!met) {
            return null;
        }
        try {
            return told(CALL.get(streamListener.getClass()).invoke(streamListener));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /**
     * A transport is about to make the stream of an attempt.
     *
     * @return the stream that it makes instead, which fails; null to leave it
     */
    static Object attempting(Object metadata, Object options, Object tracers) throws Throwable {
        if (!met) {
            return null;
        }
        Calls grpc = of(options);
        Call ours = (Call) grpc.getOption.invoke(options, grpc.key);
        if (ours == null || !ours.request.asks()) {
            return null;
        }
        FencedException refusal = grpc.set(metadata, ours);
        return refusal == null ? null : grpc.failing.invoke(grpc.statuses.of(refusal), tracers);
    }

    /** Sets the header, or returns why nothing may be sent. */
    private FencedException set(Object metadata, Call call) {
        try {
            headers.setToken(metadata, call.header());
            return null;
        } catch (FencedException refusal) {
            return refusal;
        } catch (Throwable t) {
            try {
                call.request.fault(t);
                return null;
            } catch (FencedException refusal) {
                return refusal;
            }
        }
    }

    private void close(Object listener, Object status, Object trailers) {
        try {
            onClose.invoke(listener, status, trailers);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** {@code scheme://authority/package.Service/Method}. The builder's default port is the one place that every transport tells its scheme. */
    private String url(Object channel, Object method, Object options) throws Throwable {
        int port = (int) defaultPort.invoke(resolverArguments.invoke(channel));
        Object authority = optionAuthority.invoke(options);
        if (authority == null) {
            authority = channelAuthority.invoke(channel);
        }
        return (port == PLAINTEXT_PORT ? "http://" : "https://") + authority + "/" + methodName.invoke(method);
    }
}
