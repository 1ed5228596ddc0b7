/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Requests of Jetty's client: where the service sends them, where a connection takes each from its destination's queue, and where listeners are told. */
public final class JettyClientLibrary implements Library {
    private static final String CLIENT = "org.eclipse.jetty.client.";
    private static final String TRANSPORT = CLIENT + "transport.";
    private static final String REQUESTS = "requests";
    private static final String ATTEMPTS = "attempts";
    private static final String LISTENERS = "listeners";

    @Override
    public List<Point> points() {
        List<Point> points = new ArrayList<>(List.of(
                // 12; later ones of 9.4 to 11; the first of 9.4. Each is the one method below all that send a request.
                sends(TRANSPORT, "sendAsync", "(Lorg/eclipse/jetty/client/transport/HttpDestination;"),
                sends(CLIENT, "sendAsync", "(Ljava/util/function/BiConsumer;"),
                sends(CLIENT, "send", "(Lorg/eclipse/jetty/client/HttpRequest;"),
                attempts(TRANSPORT),
                attempts(CLIENT),
                // 12: the content is asked for piece by piece.
                demands("HttpReceiver$ContentSource"),
                demands("ResponseListeners$ContentSourceDemultiplexer$ContentSource")));
        for (String event :
                List.of("Begin", "Header", "Headers", "BeforeContent", "Content", "Success", "Failure", "Complete")) {
            points.add(tells("ResponseNotifier", event, "api/Response"));
        }
        for (String event : List.of("Begin", "Header", "Headers", "ContentSource", "Success", "Failure", "Complete")) {
            points.add(tells("transport.ResponseListeners", event, "Response"));
        }
        for (String event : List.of("Queued", "Begin", "Headers", "Commit", "Content", "Success", "Failure")) {
            points.add(tells("RequestNotifier", event, "api/Request"));
            points.add(tells("RequestListeners", event, "Request"));
        }
        return points;
    }

    /** The methods that call one listener. */
    private static Point tells(String notifier, String event, String subject) {
        return new Point(
                CLIENT + notifier,
                "notify" + event,
                "(Lorg/eclipse/jetty/client/" + subject + "$",
                ToldAdvice.class,
                LISTENERS);
    }

    private static Point demands(String source) {
        return new Point(TRANSPORT + source, "demand", "(Ljava/lang/Runnable;)V", DemandAdvice.class, LISTENERS);
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
        return woven.containsAll(List.of(REQUESTS, ATTEMPTS, LISTENERS)) ? Level.FULL : Level.INACTIVE;
    }
}
