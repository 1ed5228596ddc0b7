/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Calls of gRPC, out and in. The transports are woven where they make a stream: each attempt at a call makes one. */
public final class GrpcLibrary implements Library {
    private static final String INTERNAL = "io.grpc.internal.";
    private static final String LISTENER = INTERNAL + "ServerCallImpl$ServerStreamListenerImpl";
    private static final String STREAM =
            "(Lio/grpc/MethodDescriptor;Lio/grpc/Metadata;Lio/grpc/CallOptions;[Lio/grpc/ClientStreamTracer;)";
    private static final String CALLS = "calls";
    private static final String TOLD = "callbacks of calls";
    private static final String ATTEMPTS = "attempts at calls";
    private static final String STARTS = "starts of calls";
    private static final String RECEIVED = "received calls";
    private static final String CALLBACKS = "callbacks of received calls";
    private static final String CLOSES = "ends of received calls";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(
                        INTERNAL + "ManagedChannelImpl",
                        "newCall",
                        "(Lio/grpc/MethodDescriptor;Lio/grpc/CallOptions;)",
                        NewCallAdvice.class,
                        CALLS),
                new Point(
                        INTERNAL + "ClientCallImpl",
                        "startInternal",
                        "(Lio/grpc/ClientCall$Listener;Lio/grpc/Metadata;)V",
                        StartAdvice.class,
                        STARTS),
                new Point(
                        INTERNAL + "ClientCallImpl",
                        "closeObserver",
                        "(Lio/grpc/ClientCall$Listener;Lio/grpc/Status;Lio/grpc/Metadata;)V",
                        ToldAdvice.Closed.class,
                        TOLD + ": closed"),
                told("HeadersRead"),
                told("MessagesAvailable"),
                told("StreamOnReady"),
                stream("io.grpc.netty.NettyClientTransport"),
                stream("io.grpc.netty.shaded.io.grpc.netty.NettyClientTransport"),
                stream("io.grpc.okhttp.OkHttpClientTransport"),
                stream("io.grpc.inprocess.InProcessTransport"),
                new Point(
                        INTERNAL + "ServerImpl$ServerTransportListenerImpl",
                        "startWrappedCall",
                        "(Ljava/lang/String;L" + INTERNAL.replace('.', '/')
                                + "ServerImpl$ServerTransportListenerImpl$ServerCallParameters;Lio/grpc/Metadata;)",
                        ReceivedAdvice.class,
                        RECEIVED),
                callback("messagesAvailable"),
                callback("halfClosed"),
                callback("closed"),
                callback("onReady"),
                new Point(
                        INTERNAL + "ServerCallImpl",
                        "closeInternal",
                        "(Lio/grpc/Status;Lio/grpc/Metadata;)V",
                        CloseAdvice.class,
                        CLOSES));
    }

    private static Point stream(String transport) {
        return new Point(transport, "newStream", STREAM, NewStreamAdvice.class, ATTEMPTS);
    }

    private static Point told(String work) {
        return new Point(
                INTERNAL + "ClientCallImpl$ClientStreamListenerImpl$1" + work,
                "runInContext",
                "()V",
                ToldAdvice.Streamed.class,
                TOLD + ": " + work);
    }

    private static Point callback(String method) {
        return new Point(LISTENER, method, "(", CallbackAdvice.class, CALLBACKS);
    }

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    public Level level(Set<String> woven) {
        return points().stream().map(Point::capability).allMatch(woven::contains) ? Level.FULL : Level.INACTIVE;
    }
}
