/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jdkserver;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** {@code com.sun.net.httpserver.HttpServer} and {@code HttpsServer} of the JDK, 17 and later. */
public final class JdkServerLibrary implements Library {
    private static final String INTERNAL = "sun.net.httpserver.";
    private static final String IMPL = "(Lsun/net/httpserver/ExchangeImpl;)V";
    private static final String PLACEHOLDER = INTERNAL + "PlaceholderOutputStream";
    private static final String REQUESTS = "requests";
    private static final String ADMISSION = "admission of requests";
    private static final String ANSWERS = "answers in place of the service's";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(INTERNAL + "ServerImpl$Exchange", "run", "()V", ExchangeAdvice.Run.class, REQUESTS),
                new Point(
                        "com.sun.net.httpserver.Filter$Chain",
                        "doFilter",
                        "(Lcom/sun/net/httpserver/HttpExchange;)V",
                        ExchangeAdvice.Admission.class,
                        ADMISSION),
                new Point(INTERNAL + "HttpExchangeImpl", "<init>", IMPL, ExchangeAdvice.Made.class, ANSWERS),
                new Point(INTERNAL + "HttpsExchangeImpl", "<init>", IMPL, ExchangeAdvice.Made.class, ANSWERS),
                new Point(
                        INTERNAL + "ExchangeImpl", "sendResponseHeaders", "(IJ)V", ResponseAdvice.Head.class, ANSWERS),
                new Point(PLACEHOLDER, "write", "(I)V", ResponseAdvice.Write.class, ANSWERS),
                new Point(PLACEHOLDER, "write", "([B)V", ResponseAdvice.Write.class, ANSWERS),
                new Point(PLACEHOLDER, "write", "([BII)V", ResponseAdvice.Write.class, ANSWERS));
    }

    @Override
    public String name() {
        return "jdk-http-server";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.contains(ADMISSION) && woven.contains(ANSWERS) ? Level.FULL : Level.INACTIVE;
    }
}
