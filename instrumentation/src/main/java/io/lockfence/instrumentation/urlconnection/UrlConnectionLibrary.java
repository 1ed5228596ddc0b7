/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Where the JDK's {@code HttpURLConnection} is woven; {@code https} goes through the same methods. */
public final class UrlConnectionLibrary implements Library {
    private static final String CONNECTION = "sun.net.www.protocol.http.HttpURLConnection";
    private static final String CALL = "call";

    @Override
    public List<Point> points() {
        return List.of(
                new Point(CONNECTION, "getOutputStream", "()Ljava/io/OutputStream;", OutputAdvice.class, CALL),
                new Point(CONNECTION, "getInputStream", "()Ljava/io/InputStream;", InputAdvice.class, CALL),
                new Point(CONNECTION, "writeRequests", "()V", RequestAdvice.class, "request"),
                // Also where a connection that the server has closed is opened anew, below the request.
                new Point(
                        "sun.net.www.http.HttpClient",
                        "writeRequests",
                        "(Lsun/net/www/MessageHeader;Lsun/net/www/http/PosterOutputStream;)V",
                        WriteAdvice.class,
                        "write"));
    }

    @Override
    public String name() {
        return "url-connection";
    }

    @Override
    public Set<String> opens() {
        return Set.of("java.base/sun.net.www");
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(CALL, "request", "write")) ? Level.FULL : Level.INACTIVE;
    }
}
