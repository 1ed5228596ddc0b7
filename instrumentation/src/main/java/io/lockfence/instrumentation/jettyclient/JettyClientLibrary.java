/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Requests of Jetty's client: where the service sends them, and where a connection takes each from its destination's queue. */
public final class JettyClientLibrary implements Library {
    private static final String CLIENT = "org.eclipse.jetty.client.";
    private static final String TRANSPORT = CLIENT + "transport.";
    private static final String REQUESTS = "requests";
    private static final String ATTEMPTS = "attempts";

    @Override
    public List<Point> points() {
        return List.of(
                // 12; later ones of 9.4 to 11; the first of 9.4. Each is the one method below all that send a request.
                sends(TRANSPORT, "sendAsync", "(Lorg/eclipse/jetty/client/transport/HttpDestination;"),
                sends(CLIENT, "sendAsync", "(Ljava/util/function/BiConsumer;"),
                sends(CLIENT, "send", "(Lorg/eclipse/jetty/client/HttpRequest;"),
                attempts(TRANSPORT),
                attempts(CLIENT));
    }

    private static Point sends(String prefix, String method, String descriptor) {
        return new Point(prefix + "HttpRequest", method, descriptor, SendAdvice.class, REQUESTS);
    }

    private static Point attempts(String prefix) {
        String path = prefix.replace('.', '/');
        return new Point(
                prefix + "HttpConnection",
                "send",
                "(L" + path + "HttpChannel;L" + path + "HttpExchange;)",
                AttemptAdvice.class,
                ATTEMPTS);
    }

    @Override
    public String name() {
        return "jetty-client";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(List.of(REQUESTS, ATTEMPTS)) ? Level.FULL : Level.INACTIVE;
    }
}
