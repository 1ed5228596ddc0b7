/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.client.utils.URIUtils;
import org.apache.http.concurrent.FutureCallback;
import org.apache.http.impl.nio.client.CloseableHttpAsyncClient;
import org.apache.http.impl.nio.client.HttpAsyncClientBuilder;
import org.apache.http.nio.ContentDecoder;
import org.apache.http.nio.IOControl;
import org.apache.http.nio.client.methods.HttpAsyncMethods;
import org.apache.http.nio.protocol.BasicAsyncResponseConsumer;

/** Apache HttpAsyncClient 4.1. */
public class Apache4Async implements Client {
    private volatile Runnable calledBack = () -> {};

    private final CloseableHttpAsyncClient client;

    public Apache4Async() {
        this(HttpAsyncClientBuilder.create());
    }

    Apache4Async(HttpAsyncClientBuilder builder) {
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

    private final class Consumer extends BasicAsyncResponseConsumer {
        @Override
        protected void onResponseReceived(HttpResponse response) throws IOException {
            calledBack.run();
            super.onResponseReceived(response);
        }

        @Override
        protected void onContentReceived(ContentDecoder decoder, IOControl control) throws IOException {
            calledBack.run();
            super.onContentReceived(decoder, control);
        }
    }

    private final class Callback implements FutureCallback<HttpResponse> {
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void completed(HttpResponse response) {
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
        HttpUriRequest request = Apache4Sync.request(method, url, body);
        return () -> {
            Callback callback = new Callback();
            Future<HttpResponse> answer = Unwrapped.called(() -> client.execute(
                    HttpAsyncMethods.create(URIUtils.extractHost(request.getURI()), request),
                    new Consumer(),
                    HttpClientContext.create(),
                    callback));
            try {
                return Apache4Sync.reply(answer.get());
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
