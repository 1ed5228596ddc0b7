/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Calls that come in, each with the reception that it got, from its start until it is closed. */
final class Received {
    /** Of the problem document; what is longer would meet the limits on headers. */
    private static final int LONGEST_PROBLEM = 4096;

    private static final Beside<Object, Reception> RECEPTIONS = new Beside<>();

    private static final ClassValue<MethodHandle> CALL = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> listener) {
            return Handles.getter(listener, "call");
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
        Effects effects = Seams.effects();
        if (effects == null || !effects.receives()) {
            return LeaseContext.beginUnit();
        }
        Reception reception;
        Object call;
        try {
            call = CALL.get(parameters.getClass()).invoke(parameters);
            reception = effects.receiving(OF.get(call.getClass()).incoming(call, method, metadata));
            if (reception != null && reception.answer() != null) {
                OF.get(call.getClass()).answer(call, reception.answer());
                return reception.answer();
            }
        } catch (Throwable t) {
            // Without leases the service's own protection by its rules stands: what they require is refused at its
            // database.
            Seams.fault(t);
            return LeaseContext.beginUnit();
        }
        if (reception == null) {
            return LeaseContext.beginUnit();
        }
        RECEPTIONS.put(call, reception);
        return LeaseContext.beginUnit(reception.leases());
    }

    /** The service has taken the call, or thrown, or was not asked. Returns the listener of an answered call, else null. */
    static Object started(Object entered, Object parameters, Throwable thrown) {
        try {
            if (!(entered instanceof Answer)) {
                Object call = RECEPTIONS.isEmpty()
                        ? null
                        : CALL.get(parameters.getClass()).invoke(parameters);
                Received.thrown(call, thrown);
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
        Reception reception = reception(listener);
        return reception == null ? LeaseContext.beginUnit() : LeaseContext.beginUnit(reception.leases());
    }

    static void endTurn(Object listener, LeaseContext before, Throwable thrown) {
        try {
            if (thrown != null && !RECEPTIONS.isEmpty()) {
                Received.thrown(CALL.get(listener.getClass()).invoke(listener), thrown);
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
        Reception reception = RECEPTIONS.isEmpty() ? null : RECEPTIONS.get(call);
        if (reception == null) {
            return null;
        }
        try {
            Received grpc = OF.get(call.getClass());
            Answer answer = grpc.statuses.isFailure(status) ? reception.instead(500) : null;
            return answer == null ? null : grpc.status(answer, trailers);
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** The service threw: gRPC closes the call's stream behind the call's back, unless the call has been closed by then. */
    private static void thrown(Object call, Throwable thrown) throws Throwable {
        Reception reception = thrown == null || call == null ? null : RECEPTIONS.get(call);
        if (reception == null) {
            return;
        }
        Received grpc = OF.get(call.getClass());
        if (!(boolean) grpc.closeCalled.invoke(call)) {
            Answer answer = reception.instead(500);
            if (answer != null) {
                // As gRPC does it after a throw, before it does: the call itself can still be closed by the service, to
                // no effect.
                Object trailers = grpc.headers.none();
                grpc.streamClose.invoke(grpc.stream.invoke(call), grpc.status(answer, trailers), trailers);
            }
        }
    }

    private static Reception reception(Object listener) {
        if (RECEPTIONS.isEmpty()) {
            return null;
        }
        try {
            return RECEPTIONS.get(CALL.get(listener.getClass()).invoke(listener));
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

    private Incoming incoming(Object call, String method, Object metadata) {
        return new Incoming() {
            @Override
            public String method() {
                return "POST";
            }

            @Override
            public String path() {
                return "/" + method;
            }

            @Override
            public List<String> header(String name) {
                return headers.values(metadata, name);
            }

            @Override
            public String peer() {
                return Received.this.peer(call);
            }
        };
    }

    private String peer(Object call) {
        try {
            Object address = attribute.invoke(attributes.invoke(call), remoteAddress);
            InetAddress peer = address instanceof InetSocketAddress inet ? inet.getAddress() : null;
            return peer == null ? null : peer.getHostAddress().replaceFirst("%.*", "");
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
