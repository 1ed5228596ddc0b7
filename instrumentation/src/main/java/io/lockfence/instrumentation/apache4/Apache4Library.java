/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Where Apache HttpClient 4.5 is woven. */
public final class Apache4Library implements Library {
    private static final String CLIENT = "org.apache.http.impl.client.";
    private static final String EXECUTE =
            "(Lorg/apache/http/HttpHost;Lorg/apache/http/HttpRequest;Lorg/apache/http/protocol/HttpContext;)";
    private static final String CALL = "call";
    private static final String SEND = "send";
    private static final String ASYNC = "org.apache.http.impl.nio.client.";
    private static final String ASYNC_CALL = "asynchronous call";
    private static final String ASYNC_CALLBACKS = "asynchronous callbacks";
    private static final String ASYNC_CONNECT = "asynchronous connect";
    private static final String ASYNC_SEND = "asynchronous send";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(CLIENT + "InternalHttpClient", "doExecute", EXECUTE, CallAdvice.class, CALL),
                new Point(CLIENT + "MinimalHttpClient", "doExecute", EXECUTE, CallAdvice.class, CALL),
                // DefaultHttpClient and the others that 4.3 has replaced.
                new Point(CLIENT + "AbstractHttpClient", "doExecute", EXECUTE, CallAdvice.class, CALL),
                new Point(
                        "org.apache.http.protocol.HttpRequestExecutor",
                        "execute",
                        "(Lorg/apache/http/HttpRequest;Lorg/apache/http/HttpClientConnection;Lorg/apache/http/protocol/HttpContext;)",
                        SendAdvice.class,
                        SEND),
                called("InternalHttpAsyncClient", CallbackAdvice.Consumer.class),
                called("InternalHttpAsyncClient", CallbackAdvice.Callback.class),
                called("MinimalHttpAsyncClient", CallbackAdvice.Consumer.class),
                called("MinimalHttpAsyncClient", CallbackAdvice.Callback.class),
                made("DefaultClientExchangeHandlerImpl"),
                made("MinimalClientExchangeHandlerImpl"),
                new Point(
                        ASYNC + "AbstractClientExchangeHandler",
                        "requestConnection",
                        "()",
                        AsyncConnectAdvice.class,
                        ASYNC_CONNECT),
                written("DefaultClientExchangeHandlerImpl"),
                written("MinimalClientExchangeHandlerImpl"));
    }

    private static Point called(String client, Class<?> advice) {
        return new Point(
                ASYNC + client,
                "execute",
                "(Lorg/apache/http/nio/protocol/HttpAsyncRequestProducer;Lorg/apache/http/nio/protocol/HttpAsyncResponseConsumer;"
                        + "Lorg/apache/http/protocol/HttpContext;Lorg/apache/http/concurrent/FutureCallback;)",
                advice,
                ASYNC_CALLBACKS);
    }

    private static Point made(String handler) {
        return new Point(ASYNC + handler, "<init>", "(", AsyncCallAdvice.class, ASYNC_CALL);
    }

    private static Point written(String handler) {
        return new Point(ASYNC + handler, "generateRequest", "()", AsyncRequestAdvice.class, ASYNC_SEND);
    }

    @Override
    public String name() {
        return "apache-httpclient-4";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(CALL, SEND, ASYNC_CALL, ASYNC_CALLBACKS, ASYNC_CONNECT, ASYNC_SEND))
                ? Level.FULL
                : Level.INACTIVE;
    }
}
