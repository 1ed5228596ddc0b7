/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.undertow;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Undertow 2: plain handlers, and servlets of {@code javax} and {@code jakarta}. */
public final class UndertowLibrary implements Library {
    private static final String ADMISSION = "admission of requests";
    private static final String ANSWERS = "answers in place of the service's";
    private static final String TASKS = "dispatched tasks";
    private static final String LISTENERS = "listeners of asynchronous requests";

    @Override
    public List<Point> points() {
        List<Point> points = new ArrayList<>(List.of(
                new Point(
                        "io.undertow.server.Connectors",
                        "executeRootHandler",
                        "(Lio/undertow/server/HttpHandler;Lio/undertow/server/HttpServerExchange;)V",
                        ExchangeAdvice.Root.class,
                        ADMISSION),
                new Point(
                        "io.undertow.server.HttpServerExchange",
                        "dispatch",
                        "(Ljava/util/concurrent/Executor;Ljava/lang/Runnable;)",
                        ExchangeAdvice.Dispatch.class,
                        TASKS),
                new Point(
                        "io.undertow.server.HttpServerExchange",
                        "getResponseChannel",
                        "()",
                        ExchangeAdvice.Commit.class,
                        ANSWERS)));
        for (String runs : List.of(
                "invokeRunnable",
                "invokeAction",
                "invokeOnDataAvailable",
                "invokeOnAllDataRead",
                "invokeOnWritePossible")) {
            points.add(new Point(
                    "io.undertow.servlet.spec.ServletContextImpl",
                    runs,
                    "(Lio/undertow/server/HttpServerExchange;",
                    ExchangeAdvice.Invoked.class,
                    LISTENERS));
        }
        return points;
    }

    @Override
    public String name() {
        return "undertow";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.contains(ADMISSION) && woven.contains(TASKS) && woven.contains(ANSWERS)
                ? Level.FULL
                : Level.INACTIVE;
    }
}
