/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.Inbound;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.util.List;

/** Calls that come in, known by their {@code ServerCallImpl}, from the start until they are closed. */
final class Received {
    /** Of the problem document; what is longer would meet the limits on headers. */
    private static final int LONGEST_PROBLEM = 4096;

    private static final ClassValue<MethodHandle> CALL = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> listener) {
            return Handles.getter(listener, "call");
        }
    };

    private static final ClassValue<Headers> HEADERS = new ClassValue<>() {
        @Override
        protected Headers computeValue(Class<?> metadata) {
            return new Headers(metadata);
        }
    };

    private static final ClassValue<Received> OF = new ClassValue<>() {
        @Override
        protected Received computeValue(Class<?> call) {
            return new Received(call);
        }
    };

    private final Headers headers;
    private final Statuses statuses;
    private final MethodHandle close;
    private final MethodHandle closeCalled;
    private final MethodHandle stream;
    private final MethodHandle streamClose;
    private final MethodHandle context;
    private final MethodHandle cancel;
    private final MethodHandle attributes;
    private final MethodHandle attribute;
    private final Object remoteAddress;
    private final Object noListener;

    private Received(Class<?> call) {
        headers = new Headers(call);
        statuses = new Statuses(call);
        Class<?> attributesType = Handles.type(call, "io.grpc.Attributes");
        close = Handles.method(
                call, "close", Handles.type(call, "io.grpc.Status"), Handles.type(call, "io.grpc.Metadata"));
        closeCalled = Handles.getter(call, "closeCalled");
        stream = Handles.getter(call, "stream");
        streamClose = Handles.method(
                Handles.type(call, "io.grpc.internal.ServerStream"),
                "close",
                Handles.type(call, "io.grpc.Status"),
                Handles.type(call, "io.grpc.Metadata"));
        context = Handles.getter(call, "context");
        cancel = Handles.method(Handles.type(call, "io.grpc.Context$CancellableContext"), "cancel", Throwable.class);
        attributes = Handles.method(call, "getAttributes");
        attribute = Handles.method(attributesType, "get", Handles.type(call, "io.grpc.Attributes$Key"));
        remoteAddress = Handles.constant(Handles.type(call, "io.grpc.Grpc"), "TRANSPORT_ATTR_REMOTE_ADDR");
        noListener = Handles.constant(Handles.type(call, "io.grpc.internal.ServerImpl"), "NOOP_LISTENER");
    }

    /**
     * A call is about to reach the service.
     *
     * @return the answer that it got instead, else what {@link LeaseContext#beginUnit()} returned
     */
    static Object starting(String method, Object parameters, Object metadata) {
        if (!Inbound.wanted()) {
            return LeaseContext.beginUnit();
        }
        Object call;
        try {
            call = CALL.get(parameters.getClass()).invoke(parameters);
        } catch (Throwable t) {
            Seams.fault(t);
            return unknown(method, metadata, t);
        }
        Inbound inbound = Inbound.admit(call, new Arrived(call, method, metadata));
        if (inbound.answer() == null) {
            return inbound.begin();
        }
        try {
            OF.get(call.getClass()).answer(call, inbound.answer());
        } catch (Throwable t) {
            Seams.fault(t);
            throw new IllegalStateException("Lockfence could not answer a call, which the service must not see", t);
        }
        return inbound.answer();
    }

    /**
     * Nothing can be said of a call that is of no known shape: it goes on under no lease, unless it may carry a token that an enforced rule must look at. gRPC closes a call whose
     * start throws.
     */
    private static LeaseContext unknown(String method, Object metadata, Throwable fault) {
        if (Inbound.admitUnreceived(metadata, new Arrived(null, method, metadata))
                        .answer()
                != null) {
            throw new IllegalStateException("Lockfence failed on a call that may carry a fencing token", fault);
        }
        return LeaseContext.beginUnit();
    }

    /** The service has taken the call, or thrown, or was not asked. Returns the listener of an answered call, else null. */
    static Object started(Object entered, Object parameters, Throwable thrown) {
        try {
            if (!(entered instanceof Answer)) {
                if (thrown != null && Inbound.ever()) {
                    Received.thrown(CALL.get(parameters.getClass()).invoke(parameters));
                }
                end((LeaseContext) entered);
                return null;
            }
            Object call = CALL.get(parameters.getClass()).invoke(parameters);
            return OF.get(call.getClass()).noListener;
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    static LeaseContext beginTurn(Object listener) {
        return Inbound.begin(call(listener));
    }

    static void endTurn(Object listener, LeaseContext before, Throwable thrown) {
        try {
            if (thrown != null) {
                Received.thrown(call(listener));
            }
            end(before);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /**
     * The service closes a call.
     *
     * @return the status that it is closed with instead; null to leave it
     */
    static Object closing(Object call, Object status, Object trailers) {
        Inbound inbound = Inbound.of(call);
        if (inbound == null) {
            return null;
        }
        try {
            Received grpc = OF.get(call.getClass());
            Answer answer = grpc.statuses.isFailure(status) ? inbound.instead(500) : null;
            return answer == null ? null : grpc.status(answer, trailers);
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** The service threw: gRPC closes the call's stream behind the call's back, unless the call has been closed by then. */
    private static void thrown(Object call) throws Throwable {
        Inbound inbound = Inbound.of(call);
        if (inbound == null) {
            return;
        }
        Received grpc = OF.get(call.getClass());
        if (!(boolean) grpc.closeCalled.invoke(call)) {
            Answer answer = inbound.instead(500);
            if (answer != null) {
                // As gRPC does it after a throw, before it does: the call itself can still be closed by the service, to
                // no effect.
                Object trailers = grpc.headers.none();
                grpc.streamClose.invoke(grpc.stream.invoke(call), grpc.status(answer, trailers), trailers);
            }
        }
    }

    /** Null where no call was ever admitted. */
    private static Object call(Object listener) {
        if (!Inbound.ever()) {
            return null;
        }
        try {
            return CALL.get(listener.getClass()).invoke(listener);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static void end(LeaseContext before) {
        Lease[] left = LeaseContext.endUnit(before);
        if (left != null) {
            Seams.leaseEvents()
                    .leftOver(
                            left,
                            "a call of gRPC on thread " + Thread.currentThread().getName());
        }
    }

    private void answer(Object call, Answer answer) throws Throwable {
        Object trailers = headers.none();
        close.invoke(call, status(answer, trailers), trailers);
        Object unused = cancel.invoke(context.invoke(call), null);
    }

    private Object status(Answer answer, Object trailers) throws Throwable {
        if (answer.body().length <= LONGEST_PROBLEM) {
            headers.setProblem(trailers, answer.body());
        }
        return statuses.of(answer.status(), Problem.detail(answer));
    }

    private record Arrived(Object call, String method, Object metadata) implements Arriving {
        @Override
        public String method() {
            return "POST";
        }

        @Override
        public String path() {
            return "/" + method;
        }

        /** No spelling of it but one finds a method. */
        @Override
        public String rawPath() {
            return path();
        }

        @Override
        public List<String> header(String name) {
            return HEADERS.get(metadata.getClass()).values(metadata, name);
        }

        @Override
        public String peer() throws Throwable {
            return OF.get(call.getClass()).peer(call);
        }
    }

    private String peer(Object call) throws Throwable {
        Object address = attribute.invoke(attributes.invoke(call), remoteAddress);
        return address instanceof InetSocketAddress internet ? Inbound.numbers(internet) : null;
    }
}
