/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Calls of gRPC with a stream each way, of one message. */
public final class GrpcStreaming extends GrpcBlocking {
    private volatile Runnable calledBack = () -> {};

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    @Override
    protected MethodDescriptor.MethodType type() {
        return MethodDescriptor.MethodType.BIDI_STREAMING;
    }

    @Override
    protected String call(ManagedChannel channel, MethodDescriptor<String, String> method, String message)
            throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        StreamObserver<String> out = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(method, CallOptions.DEFAULT), new StreamObserver<String>() {
                    private String received = "";

                    @Override
                    public void onNext(String value) {
                        calledBack.run();
                        received += value;
                    }

                    @Override
                    public void onError(Throwable t) {
                        calledBack.run();
                        answer.completeExceptionally(t);
                    }

                    @Override
                    public void onCompleted() {
                        calledBack.run();
                        answer.complete(received);
                    }
                });
        out.onNext(message);
        out.onCompleted();
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw Unwrapped.of(e);
        }
    }
}
