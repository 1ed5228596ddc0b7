/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.PoolWorkerAdvice;
import java.util.List;
import java.util.Set;

/** Requests of Tomcat 9, 10 and 11, also on virtual threads, and the tasks of its own copy of the JDK's thread pool. */
public final class TomcatLibrary implements Library {
    private static final String ADAPTER = "org.apache.catalina.connector.CoyoteAdapter";
    private static final String THREAD_POOL = "org.apache.tomcat.util.threads.ThreadPoolExecutor";
    private static final String ASYNC = "org.apache.catalina.core.AsyncContextImpl";
    private static final String RESPONSE = "org.apache.coyote.Response";
    private static final String REQUESTS = "requests";
    private static final String ADMISSION = "admission of requests";
    private static final String ANSWERS = "answers in place of the service's";
    private static final String TASKS = "pool tasks";

    @Override
    public List<Point> points() {
        String request = "(Lorg/apache/coyote/Request;Lorg/apache/coyote/Response;";
        return List.of(
                new Point(ADAPTER, "service", request, RequestAdvice.First.class, REQUESTS),
                new Point(ADAPTER, "asyncDispatch", request, RequestAdvice.Next.class, REQUESTS),
                new Point(ASYNC, "fireOnComplete", "()V", RequestAdvice.Completed.class, REQUESTS),
                new Point(ASYNC, "start", "(Ljava/lang/Runnable;)V", RequestAdvice.Started.class, REQUESTS),
                new Point(
                        ADAPTER,
                        "postParseRequest",
                        "(Lorg/apache/coyote/Request;Lorg/apache/catalina/connector/Request;",
                        AdmissionAdvice.class,
                        ADMISSION),
                new Point(RESPONSE, "doWrite", "(Ljava/nio/ByteBuffer;)V", ResponseAdvice.Write.class, ANSWERS),
                new Point(RESPONSE, "action", "(Lorg/apache/coyote/ActionCode;", ResponseAdvice.Action.class, ANSWERS),
                // Older versions of Tomcat 9 extend the JDK's class, which is woven by itself.
                new Point(THREAD_POOL, "getTask", "()", PoolWorkerAdvice.class, TASKS),
                new Point(THREAD_POOL, "processWorkerExit", "(", PoolWorkerAdvice.class, TASKS));
    }

    @Override
    public String name() {
        return "tomcat";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.contains(ADMISSION) && woven.contains(ANSWERS) ? Level.FULL : Level.INACTIVE;
    }
}
