/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Unary calls of gRPC, where the last two parts of a URL's path are service and method. The method of HTTP is sent as the first line of the message. What
 * does not succeed is thrown.
 */
public class GrpcBlocking implements Client {
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

    private static final Metadata.Key<byte[]> PROBLEM =
            Metadata.Key.of("fencing-problem-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final Map<String, ManagedChannel> channels = new ConcurrentHashMap<>();

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        URI uri = URI.create(url);
        ManagedChannel channel = channels.computeIfAbsent(
                uri.getAuthority(),
                target -> with(ManagedChannelBuilder.forTarget("dns:///" + target))
                        .usePlaintext()
                        .build());
        MethodDescriptor<String, String> descriptor = MethodDescriptor.<String, String>newBuilder()
                .setType(type())
                .setFullMethodName(uri.getPath().substring(1))
                .setRequestMarshaller(TEXT)
                .setResponseMarshaller(TEXT)
                .build();
        String message = method + "\n" + (body == null ? "" : body);
        return () -> {
            try {
                return Reply.text(200, call(channel, descriptor, message));
            } catch (StatusRuntimeException e) {
                return answered(e);
            }
        };
    }

    /** What the channels of this client have of their own. */
    protected ManagedChannelBuilder<?> with(ManagedChannelBuilder<?> builder) {
        return builder;
    }

    /** What the calls of this client have of their own. */
    protected CallOptions options() {
        return CallOptions.DEFAULT;
    }

    protected MethodDescriptor.MethodType type() {
        return MethodDescriptor.MethodType.UNARY;
    }

    protected String call(ManagedChannel channel, MethodDescriptor<String, String> method, String message)
            throws Exception {
        return ClientCalls.blockingUnaryCall(channel, method, options(), message);
    }

    /** As an answer of HTTP, where the server gave a problem document; else the failure itself. */
    private static Reply answered(StatusRuntimeException e) {
        Metadata trailers = e.getTrailers();
        byte[] problem = trailers == null ? null : trailers.get(PROBLEM);
        if (problem == null) {
            throw e;
        }
        int status = switch (e.getStatus().getCode()) {
            case FAILED_PRECONDITION -> 412;
            case UNAVAILABLE -> 503;
            case ABORTED -> 409;
            case INVALID_ARGUMENT -> 400;
            case PERMISSION_DENIED -> 403;
            default -> 500;
        };
        return new Reply(
                status,
                Map.of("content-type", List.of("application/problem+json")),
                new String(problem, StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }
}
