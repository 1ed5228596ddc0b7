/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.PoolTaskAdvice;
import io.lockfence.instrumentation.PoolWorkerAdvice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Requests of Jetty 9.4 to 12, servlets and handlers, and the tasks of its thread pool. One job of it may be a whole series of requests: a thread that produces tasks also runs them ("eat
 * what you kill"), and a reserved thread waits for tasks within its job. Each of those tasks is a unit as well.
 */
public final class JettyLibrary implements Library {
    private static final String THREAD = "org.eclipse.jetty.util.thread.";
    private static final String SERVER = "org.eclipse.jetty.server.";
    private static final String CORE = SERVER + "internal.";
    private static final String RUNNABLE = "(Ljava/lang/Runnable;)V";
    private static final String JOBS = "pool jobs";
    private static final String TASKS = "tasks within a job";
    private static final String REQUESTS = "requests";
    private static final String ADMISSION = "admission of requests";
    private static final String INVOCATIONS = "handlers off the selectors";
    private static final String ANSWERS = "answers in place of the service's";
    private static final String CALLBACKS = "callbacks of requests";
    private static final String LISTENERS = "listeners of asynchronous requests";

    @Override
    public List<Point> points() {
        List<Point> points = new ArrayList<>(pool());
        points.addAll(channels());
        points.addAll(core());
        return points;
    }

    private static List<Point> pool() {
        return List.of(
                new Point(THREAD + "QueuedThreadPool", "runJob", RUNNABLE, PoolTaskAdvice.class, JOBS),
                // 10 and later; 9.4.
                new Point(
                        THREAD + "strategy.AdaptiveExecutionStrategy",
                        "runTask",
                        RUNNABLE,
                        PoolTaskAdvice.class,
                        TASKS),
                new Point(THREAD + "strategy.EatWhatYouKill", "runTask", RUNNABLE, PoolTaskAdvice.class, TASKS),
                // 12; 9.4 to 11.
                new Point(
                        THREAD + "ReservedThreadExecutor$ReservedThread",
                        "waitForTask",
                        "()",
                        PoolWorkerAdvice.class,
                        TASKS),
                new Point(
                        THREAD + "ReservedThreadExecutor$ReservedThread",
                        "reservedWait",
                        "()",
                        PoolWorkerAdvice.class,
                        TASKS));
    }

    /** 9.4 to 11. */
    private static List<Point> channels() {
        String channel = SERVER + "HttpChannel";
        List<Point> points = new ArrayList<>(List.of(
                new Point(channel, "handle", "()Z", ChannelAdvice.Handle.class, REQUESTS),
                new Point(channel, "recycle", "()V", ChannelAdvice.Recycle.class, REQUESTS),
                new Point(
                        SERVER + "Server",
                        "handle",
                        "(Lorg/eclipse/jetty/server/HttpChannel;)V",
                        ChannelAdvice.Admission.class,
                        ADMISSION),
                new Point(
                        channel,
                        "sendResponse",
                        "(Lorg/eclipse/jetty/http/MetaData$Response;Ljava/nio/ByteBuffer;ZLorg/eclipse/jetty/util/Callback;)",
                        ChannelAdvice.Send.class,
                        ANSWERS)));
        points.addAll(listeners(SERVER, "HttpChannelState"));
        return points;
    }

    /** 12: the core, and the servlets of every edition on top of it. */
    private static List<Point> core() {
        List<Point> points = new ArrayList<>();
        points.add(new Point(
                SERVER + "Server",
                "handle",
                "(Lorg/eclipse/jetty/server/Request;Lorg/eclipse/jetty/server/Response;Lorg/eclipse/jetty/util/Callback;)Z",
                CoreAdvice.Handle.class,
                ADMISSION));
        points.add(new Point(
                SERVER + "Server",
                "getInvocationType",
                "()Lorg/eclipse/jetty/util/thread/Invocable$InvocationType;",
                CoreAdvice.Invocation.class,
                INVOCATIONS));
        String request = CORE + "HttpChannelState$ChannelRequest";
        points.add(new Point(
                request,
                "<init>",
                "(Lorg/eclipse/jetty/server/internal/HttpChannelState;Lorg/eclipse/jetty/http/MetaData$Request;)V",
                CoreAdvice.Made.class,
                ANSWERS));
        points.add(new Point(request, "demand", RUNNABLE, CoreAdvice.Demand.class, CALLBACKS));
        String response = CORE + "HttpChannelState$ChannelResponse";
        points.add(new Point(response, "succeeded", "()V", CoreAdvice.Written.class, CALLBACKS));
        points.add(new Point(response, "failed", "(Ljava/lang/Throwable;)V", CoreAdvice.Written.class, CALLBACKS));
        for (String stream : List.of(
                CORE + "HttpConnection$HttpStreamOverHTTP1",
                "org.eclipse.jetty.http2.server.internal.HttpStreamOverHTTP2",
                "org.eclipse.jetty.http3.server.internal.HttpStreamOverHTTP3",
                "org.eclipse.jetty.fcgi.server.internal.HttpStreamOverFCGI")) {
            points.add(new Point(
                    stream,
                    "send",
                    "(Lorg/eclipse/jetty/http/MetaData$Request;Lorg/eclipse/jetty/http/MetaData$Response;ZLjava/nio/ByteBuffer;",
                    CoreAdvice.Send.class,
                    ANSWERS));
        }
        for (String edition : List.of("ee8", "ee9")) {
            String nested = "org.eclipse.jetty." + edition + ".nested.";
            points.add(new Point(nested + "HttpChannel", "handle", "()Z", CoreAdvice.Servlets.class, REQUESTS));
            points.addAll(listeners(nested, "HttpChannelState"));
        }
        for (String edition : List.of("ee10", "ee11")) {
            String servlet = "org.eclipse.jetty." + edition + ".servlet.";
            points.add(new Point(servlet + "ServletChannel", "handle", "()", CoreAdvice.Servlets.class, REQUESTS));
            points.addAll(listeners(servlet, "ServletChannelState"));
            // 12.0.0 to 12.0.4.
            points.add(listeners(servlet, "ServletRequestState").get(0));
        }
        return points;
    }

    private static List<Point> listeners(String part, String state) {
        return List.of(
                new Point(
                        part + state,
                        "runInContext",
                        "(L" + part.replace('.', '/') + "AsyncContextEvent;",
                        ListenerAdvice.InContext.class,
                        LISTENERS),
                new Point(part + "AsyncContextState", "start", RUNNABLE, ListenerAdvice.Started.class, LISTENERS));
    }

    @Override
    public String name() {
        return "jetty";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.contains(ADMISSION) && woven.contains(ANSWERS) ? Level.FULL : Level.INACTIVE;
    }
}
