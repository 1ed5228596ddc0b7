/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import com.example.http.Server;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A server of gRPC that has every method: a message is a method of HTTP, a line end, and a body. What the handler throws, it throws; 503 becomes
 * {@code UNAVAILABLE}, another status of an error {@code INTERNAL}.
 */
public final class GrpcServer implements Server {
    private static final MethodDescriptor.Marshaller<String> TEXT = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private io.grpc.Server server;

    @Override
    public int start(Handler handler) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .fallbackHandlerRegistry(new HandlerRegistry() {
                    @Override
                    public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
                        return method(name, handler);
                    }
                })
                .build()
                .start();
        return server.getPort();
    }

    private static ServerMethodDefinition<String, String> method(String name, Handler handler) {
        MethodDescriptor<String, String> descriptor = MethodDescriptor.<String, String>newBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName(name)
                .setRequestMarshaller(TEXT)
                .setResponseMarshaller(TEXT)
                .build();
        return ServerMethodDefinition.create(descriptor, new ServerCallHandler<>() {
            @Override
            public ServerCall.Listener<String> startCall(ServerCall<String, String> call, Metadata headers) {
                return ServerCalls.<String, String>asyncBidiStreamingCall(
                                out -> new Answering(handler, name, headers(headers), out))
                        .startCall(call, headers);
            }
        });
    }

    private static Map<String, List<String>> headers(Metadata metadata) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : metadata.keys()) {
            if (!name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                List<String> values = new ArrayList<>();
                metadata.getAll(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER))
                        .forEach(values::add);
                headers.put(name, values);
            }
        }
        return headers;
    }

    private static final class Answering implements StreamObserver<String> {
        private final Handler handler;
        private final String name;
        private final Map<String, List<String>> headers;
        private final StreamObserver<String> out;
        private boolean failed;

        Answering(Handler handler, String name, Map<String, List<String>> headers, StreamObserver<String> out) {
            this.handler = handler;
            this.name = name;
            this.headers = headers;
            this.out = out;
        }

        @Override
        public void onNext(String message) {
            int line = message.indexOf('\n');
            Request request = new Request(message.substring(0, line), "/" + name, headers, message.substring(line + 1));
            Reply reply;
            try {
                reply = handler.handle(request);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            if (reply.status() >= 400) {
                failed = true;
                Status status = reply.status() == 503 ? Status.UNAVAILABLE : Status.INTERNAL;
                out.onError(status.withDescription(reply.body()).asRuntimeException());
            } else {
                out.onNext(reply.body());
            }
        }

        @Override
        public void onError(Throwable t) {}

        @Override
        public void onCompleted() {
            if (!failed) {
                out.onCompleted();
            }
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
