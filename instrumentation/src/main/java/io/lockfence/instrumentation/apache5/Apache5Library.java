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
    private static final String CALL = "call";
    private static final String SEND = "send";

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
                        SEND));
    }

    @Override
    public String name() {
        return "apache-httpclient-5";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(CALL, SEND)) ? Level.FULL : Level.INACTIVE;
    }
}
