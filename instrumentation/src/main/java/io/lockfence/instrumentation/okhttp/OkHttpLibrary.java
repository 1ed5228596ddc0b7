/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Where OkHttp is woven: 3.12 to 5. Classes have moved; each version has one of each kind. */
public final class OkHttpLibrary implements Library {
    private static final String INTERNAL = "okhttp3.internal.";
    private static final String CALL = "call";
    private static final String CHAIN = "chain";
    private static final String TASK = "queued call";
    private static final String ATTEMPT = "attempt";
    private static final String RETRY = "retry";
    private static final String HTTP1 = "write HTTP/1.1";
    private static final String HTTP2 = "write HTTP/2";

    @Override
    public List<Point> points() {
        List<Point> points = new ArrayList<>();
        // 3.12 to 4.2, and later.
        for (String call : List.of("okhttp3.RealCall", INTERNAL + "connection.RealCall")) {
            points.add(new Point(call, "execute", "()", CallAdvice.Execute.class, CALL));
            points.add(new Point(call, "enqueue", "(Lokhttp3/Callback;)V", CallAdvice.Enqueue.class, CALL));
            points.add(new Point(call, "getResponseWithInterceptorChain", "()", ChainAdvice.class, CHAIN));
            points.add(new Point(call, "getResponseWithInterceptorChain$okhttp", "()", ChainAdvice.class, CHAIN));
            points.add(new Point(call + "$AsyncCall", "execute", "()V", TaskAdvice.class, TASK));
            points.add(new Point(call + "$AsyncCall", "run", "()V", TaskAdvice.class, TASK));
        }
        points.add(new Point(
                INTERNAL + "http.CallServerInterceptor",
                "intercept",
                "(Lokhttp3/Interceptor$Chain;)",
                AttemptAdvice.class,
                ATTEMPT));
        points.add(new Point(
                INTERNAL + "http.RetryAndFollowUpInterceptor",
                "recover",
                "(Ljava/io/IOException;",
                RecoverAdvice.class,
                RETRY));
        points.add(writing("http1.Http1Codec", HTTP1));
        points.add(writing("http1.Http1ExchangeCodec", HTTP1));
        points.add(writing("http2.Http2Codec", HTTP2));
        points.add(writing("http2.Http2ExchangeCodec", HTTP2));
        return points;
    }

    private static Point writing(String codec, String capability) {
        return new Point(
                INTERNAL + codec, "writeRequestHeaders", "(Lokhttp3/Request;)V", WriteAdvice.class, capability);
    }

    @Override
    public String name() {
        return "okhttp";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(CALL, CHAIN, TASK, ATTEMPT, RETRY, HTTP1, HTTP2)) ? Level.FULL : Level.INACTIVE;
    }
}
