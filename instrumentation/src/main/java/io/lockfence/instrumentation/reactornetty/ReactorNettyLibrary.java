/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Client and server of Reactor Netty. What is scheduled from here on is followed by the executors that Reactor's schedulers are made of. */
public final class ReactorNettyLibrary implements Library {
    /** In reports. */
    static final String NAME = "reactor-netty";

    private static final String HTTP = "reactor.netty.http.";
    private static final String CLIENT = HTTP + "client.HttpClientConnect$";
    private static final String CLIENT_OPERATIONS = HTTP + "client.HttpClientOperations";
    private static final String SERVER_OPERATIONS = HTTP + "server.HttpServerOperations";
    private static final String RECEIVE = "reactor.netty.channel.FluxReceive";

    private static final String REQUESTS = "requests";
    private static final String ATTEMPTS = "attempts";
    private static final String REFUSALS = "refusals of attempts";
    private static final String RECEIVED = "received requests";
    private static final String ANSWERS = "answers";
    private static final String BODIES = "bodies";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(
                        CLIENT + "MonoHttpConnect",
                        "subscribe",
                        "(Lreactor/core/CoreSubscriber;)V",
                        SubscribeAdvice.class,
                        REQUESTS),
                new Point(CLIENT + "HttpClientHandler", "<init>", "(", RequestAdvice.class, REQUESTS),
                new Point(
                        CLIENT + "HttpClientHandler",
                        "requestWithBody",
                        "(Lreactor/netty/http/client/HttpClientOperations;)",
                        AttemptAdvice.class,
                        ATTEMPTS),
                new Point(CLIENT_OPERATIONS, "beforeMarkSentHeaders", "()V", HeadersAdvice.class, ATTEMPTS),
                new Point(
                        CLIENT_OPERATIONS, "onOutboundError", "(Ljava/lang/Throwable;)V", UnwrapAdvice.class, REFUSALS),
                new Point(CLIENT_OPERATIONS, "onOutboundComplete", "()V", EmptyRequestAdvice.class, REFUSALS),
                new Point(
                        HTTP + "server.HttpServer$HttpServerHandle",
                        "onStateChange",
                        "(Lreactor/netty/Connection;Lreactor/netty/ConnectionObserver$State;)V",
                        ReceivedAdvice.class,
                        RECEIVED),
                new Point(
                        HTTP + "HttpOperations",
                        "send",
                        "(Lorg/reactivestreams/Publisher;)",
                        AnswerAdvice.class,
                        ANSWERS),
                // Later versions have one of their own.
                new Point(SERVER_OPERATIONS, "send", "(Lorg/reactivestreams/Publisher;)", AnswerAdvice.class, ANSWERS),
                new Point(
                        SERVER_OPERATIONS,
                        "prepareFullHttpResponse",
                        "(Lio/netty/buffer/ByteBuf;)",
                        WholeAnswerAdvice.class,
                        ANSWERS),
                new Point(
                        SERVER_OPERATIONS,
                        "newFullBodyMessage",
                        "(Lio/netty/buffer/ByteBuf;)",
                        WholeAnswerAdvice.class,
                        ANSWERS),
                body("onInboundNext"),
                body("onInboundComplete"),
                body("onInboundError"),
                body("drainReceiver"));
    }

    private static Point body(String method) {
        return new Point(RECEIVE, method, "(", BodyAdvice.class, BODIES);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(List.of(REQUESTS, ATTEMPTS, REFUSALS, RECEIVED, ANSWERS, BODIES))
                ? Level.FULL
                : Level.INACTIVE;
    }
}
