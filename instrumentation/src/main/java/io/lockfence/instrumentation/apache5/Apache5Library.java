/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Where Apache HttpClient 5 is woven. */
public final class Apache5Library implements Library {
    private static final String CLIENT = "org.apache.hc.client5.http.impl.classic.";
    private static final String EXECUTE =
            "(Lorg/apache/hc/core5/http/HttpHost;Lorg/apache/hc/core5/http/ClassicHttpRequest;Lorg/apache/hc/core5/http/protocol/HttpContext;)";
    private static final String ASYNC = "org.apache.hc.client5.http.impl.async.";
    private static final String CHAIN =
            "(Lorg/apache/hc/core5/http/HttpRequest;Lorg/apache/hc/core5/http/nio/AsyncEntityProducer;"
                    + "Lorg/apache/hc/client5/http/async/AsyncExecChain$Scope;";
    private static final String COMMIT =
            "(Lorg/apache/hc/core5/http/HttpRequest;Lorg/apache/hc/core5/http/EntityDetails;)V";
    private static final String CALL = "call";
    private static final String SEND = "send";
    private static final String ASYNC_CALL = "asynchronous call";
    private static final String ASYNC_FORK = "asynchronous fork";
    private static final String ASYNC_CHAIN = "asynchronous chain";
    private static final String ASYNC_ATTEMPT = "asynchronous attempt";
    private static final String HTTP1 = "write HTTP/1.1";
    private static final String HTTP2 = "write HTTP/2";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(CLIENT + "InternalHttpClient", "doExecute", EXECUTE, CallAdvice.class, CALL),
                new Point(CLIENT + "MinimalHttpClient", "doExecute", EXECUTE, CallAdvice.class, CALL),
                new Point(
                        "org.apache.hc.core5.http.impl.io.HttpRequestExecutor",
                        "execute",
                        "(Lorg/apache/hc/core5/http/ClassicHttpRequest;Lorg/apache/hc/core5/http/io/HttpClientConnection;"
                                + "Lorg/apache/hc/core5/http/io/HttpResponseInformationCallback;",
                        SendAdvice.class,
                        SEND),
                new Point(ASYNC + "InternalHttpAsyncExecRuntime", "<init>", "(", AsyncCallAdvice.class, ASYNC_CALL),
                new Point(ASYNC + "InternalH2AsyncExecRuntime", "<init>", "(", AsyncCallAdvice.class, ASYNC_CALL),
                new Point(ASYNC + "InternalHttpAsyncExecRuntime", "fork", "()", AsyncForkAdvice.class, ASYNC_FORK),
                new Point(ASYNC + "InternalH2AsyncExecRuntime", "fork", "()", AsyncForkAdvice.class, ASYNC_FORK),
                chain(AsyncChainAdvice.class),
                chain(AsyncToldAdvice.Callback.class),
                chain(AsyncToldAdvice.Producer.class),
                new Point(ASYNC + "HttpAsyncMainClientExec", "execute", CHAIN, AsyncAttemptAdvice.class, ASYNC_ATTEMPT),
                new Point(ASYNC + "H2AsyncMainClientExec", "execute", CHAIN, AsyncAttemptAdvice.class, ASYNC_ATTEMPT),
                new Point(
                        "org.apache.hc.core5.http.impl.nio.ClientHttp1StreamHandler",
                        "commitRequest",
                        COMMIT,
                        AsyncWriteAdvice.class,
                        HTTP1),
                new Point(
                        "org.apache.hc.core5.http2.impl.nio.ClientH2StreamHandler",
                        "commitRequest",
                        COMMIT,
                        AsyncWriteAdvice.class,
                        HTTP2));
    }

    private static Point chain(Class<?> advice) {
        return new Point(
                ASYNC + "AsyncExecChainElement",
                "execute",
                CHAIN + "Lorg/apache/hc/client5/http/async/AsyncExecCallback;)V",
                advice,
                ASYNC_CHAIN);
    }

    @Override
    public String name() {
        return "apache-httpclient-5";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(CALL, SEND, ASYNC_CALL, ASYNC_FORK, ASYNC_CHAIN, ASYNC_ATTEMPT, HTTP1, HTTP2))
                ? Level.FULL
                : Level.INACTIVE;
    }
}
