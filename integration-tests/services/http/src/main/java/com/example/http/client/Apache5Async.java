/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;

/** Apache HttpClient 5, asynchronous. */
public class Apache5Async implements Client {
    private volatile Runnable calledBack = () -> {};

    private final CloseableHttpAsyncClient client;

    public Apache5Async() {
        this(HttpAsyncClientBuilder.create());
    }

    Apache5Async(HttpAsyncClientBuilder builder) {
        client = builder.build();
        client.start();
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    /** What the handlers of a call were told of its failure. */
    private volatile Exception told;

    @Override
    public Exception toldOfFailure() {
        return told;
    }

    private final class Consumer implements AsyncResponseConsumer<SimpleHttpResponse> {
        private final AsyncResponseConsumer<SimpleHttpResponse> simple = SimpleResponseConsumer.create();

        @Override
        public void consumeResponse(
                HttpResponse response,
                EntityDetails entity,
                HttpContext context,
                FutureCallback<SimpleHttpResponse> callback)
                throws HttpException, IOException {
            calledBack.run();
            simple.consumeResponse(response, entity, context, callback);
        }

        @Override
        public void informationResponse(HttpResponse response, HttpContext context) throws HttpException, IOException {
            calledBack.run();
            simple.informationResponse(response, context);
        }

        @Override
        public void failed(Exception e) {
            calledBack.run();
            told = e;
            simple.failed(e);
        }

        @Override
        public void updateCapacity(CapacityChannel channel) throws IOException {
            simple.updateCapacity(channel);
        }

        @Override
        public void consume(ByteBuffer content) throws IOException {
            calledBack.run();
            simple.consume(content);
        }

        @Override
        public void streamEnd(List<? extends Header> trailers) throws HttpException, IOException {
            calledBack.run();
            simple.streamEnd(trailers);
        }

        @Override
        public void releaseResources() {
            simple.releaseResources();
        }
    }

    private final class Callback implements FutureCallback<SimpleHttpResponse> {
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void completed(SimpleHttpResponse response) {
            calledBack.run();
            ended.countDown();
        }

        @Override
        public void failed(Exception e) {
            calledBack.run();
            ended.countDown();
        }

        @Override
        public void cancelled() {
            calledBack.run();
            ended.countDown();
        }
    }

    @Override
    public Call build(String method, String url, String body) {
        SimpleHttpRequest request = new SimpleHttpRequest(method, URI.create(url));
        if (body != null) {
            request.setBody(body, ContentType.create("text/plain", StandardCharsets.UTF_8));
        }
        return () -> {
            Callback callback = new Callback();
            Future<SimpleHttpResponse> answer = Unwrapped.called(
                    () -> client.execute(SimpleRequestProducer.create(request), new Consumer(), callback));
            try {
                SimpleHttpResponse response = answer.get();
                return Apache5Sync.reply(response, response.getBodyText());
            } catch (ExecutionException e) {
                throw Unwrapped.of(e);
            } finally {
                callback.ended.await();
            }
        };
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
