/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Where the JDK's {@code HttpClient} is woven. Nothing of it is loaded before the service loads it. */
public final class JavaHttpLibrary implements Library {
    private static final String PACKAGE = "jdk.internal.net.http.";
    private static final String CLIENT = PACKAGE + "HttpClientImpl";
    private static final String REQUEST = PACKAGE + "HttpRequestImpl";
    private static final String CALL = "call";
    private static final String COPY = "copies of requests";
    private static final String WRITE = "write";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(
                        CLIENT,
                        "sendAsync",
                        "(Ljava/net/http/HttpRequest;Ljava/net/http/HttpResponse$BodyHandler;"
                                + "Ljava/net/http/HttpResponse$PushPromiseHandler;Ljava/util/concurrent/Executor;)",
                        SendAsyncAdvice.class,
                        CALL),
                new Point(
                        CLIENT,
                        "sendAsync",
                        "(Ljava/net/http/HttpRequest;Ljava/net/http/HttpResponse$BodyHandler;"
                                + "Ljava/net/http/HttpResponse$PushPromiseHandler;Ljava/util/concurrent/Executor;)",
                        HandlerAdvice.class,
                        "body handler"),
                new Point(CLIENT, "send", "(Ljava/net/http/HttpRequest;", SendAdvice.class, "blocking call"),
                new Point(
                        REQUEST,
                        "<init>",
                        "(Ljava/net/http/HttpRequest;Ljava/net/ProxySelector;)V",
                        RequestAdvice.class,
                        "request"),
                new Point(
                        REQUEST,
                        "newInstanceForRedirection",
                        "(Ljava/net/URI;Ljava/lang/String;Ljdk/internal/net/http/HttpRequestImpl;",
                        CopyAdvice.Redirected.class,
                        COPY),
                new Point(
                        REQUEST,
                        "newInstanceForAuthentication",
                        "(Ljdk/internal/net/http/HttpRequestImpl;)",
                        CopyAdvice.Authenticated.class,
                        COPY),
                new Point(REQUEST, "getUserHeaders", "()", UserHeadersAdvice.class, "headers"),
                // Before an attempt is given a connection, so that a refusal takes none.
                new Point(PACKAGE + "Exchange", "responseAsync", "()", AttemptAdvice.Begins.class, "attempt"),
                new Point(PACKAGE + "Http1Request", "headers", "()", Http1Advice.class, WRITE + " HTTP/1.1"),
                new Point(PACKAGE + "Stream", "sendHeadersAsync", "()", AttemptAdvice.Writes.class, WRITE + " HTTP/2"));
    }

    @Override
    public Set<String> opens() {
        return Set.of("java.net.http/jdk.internal.net.http");
    }

    @Override
    public String name() {
        return "java-http";
    }

    @Override
    public Level level(Set<String> woven) {
        for (Point point : points()) {
            if (!woven.contains(point.capability())) {
                return Level.INACTIVE;
            }
        }
        return Level.FULL;
    }
}
