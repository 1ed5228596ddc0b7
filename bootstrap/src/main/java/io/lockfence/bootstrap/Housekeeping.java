/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * Work that inherits no lease: what serves everybody, or never ends, and is started by whoever happens to come first. Under a lease that has ended it would
 * be refused though it has nothing to do with it.
 *
 * <p>Names are of the task's class, of the executor's or of what makes its threads: prefixes, so that nested classes and lambdas are meant too.
 */
final class Housekeeping {
    /** A prefix of class names, and why. OTel: {@code opentelemetry-java-instrumentation}, which leaves out most of these as well. */
    private record Entry(String prefix, String why, boolean exact) {
        Entry(String prefix, String why) {
            this(prefix, why, false);
        }

        boolean matches(String name) {
            return exact ? name.equals(prefix) : name.startsWith(prefix);
        }
    }

    private static final Entry[] ENTRIES = {
        // The JDK.
        new Entry("java.lang.VirtualThread", "a virtual thread goes on: its own thread has its own leases"),
        new Entry("java.util.concurrent.ThreadPoolExecutor$Worker", "a pool's thread (OTel)"),
        new Entry("java.util.concurrent.ForkJoinWorkerThread", "a pool's thread (OTel)"),
        new Entry("java.util.concurrent.SubmissionPublisher$ConsumerTask", "delivers what all publishers send"),
        new Entry(
                "java.util.concurrent.CompletableFuture$Timeout", "completes somebody's future, on the timer's thread"),
        new Entry("java.util.concurrent.CompletableFuture$DelayedCompleter", "as Timeout"),
        new Entry("java.util.concurrent.CompletableFuture$Canceller", "as Timeout"),
        new Entry("java.util.concurrent.ForkJoinPool$TimeoutAction", "cancels a task, on the timer's thread"),
        new Entry("java.util.concurrent.ForkJoinTask$TimeoutAction", "cancels a task, on the timer's thread"),
        new Entry("jdk.internal.net.http.", "connections of the HTTP client, shared by all its requests"),
        new Entry("sun.net.httpserver.", "requests of the JDK's server"),
        new Entry("sun.nio.ch.", "completions of asynchronous channels"),
        new Entry("sun.rmi.", "calls from other JVMs"),
        // Event loops and connection pools.
        new Entry("io.netty.", "event loops, which may be started by a request (OTel)"),
        new Entry("org.redisson.", "renewals and connections, shared by all locks"),
        new Entry("io.etcd.jetcd.", "keeps all leases of a client alive, started by whoever has the first"),
        new Entry("com.zaxxer.hikari.", "fills and cleans the pool, started by a request that waits for a connection"),
        new Entry("okhttp3.ConnectionPool$", "cleans idle connections, for ever (OTel)"),
        new Entry(
                "okhttp3.internal.",
                "task queues and connections; a call that waited is started by whoever ends another"),
        new Entry("okhttp3.RealCall$", "a call that waited is started by whoever ends another"),
        new Entry("com.squareup.okhttp.ConnectionPool$", "cleans idle connections, for ever (OTel)"),
        new Entry("com.mysql.cj.jdbc.AbandonedConnectionCleanupThread", "runs for ever (OTel)"),
        new Entry(
                "com.github.benmanes.caffeine.cache.BoundedLocalCache$PerformCleanupTask",
                "cleans a cache of everybody"),
        // Servers: whoever ends a request may start the next one.
        new Entry("org.apache.tomcat.util.net.", "the next request of a connection (OTel issue 787)"),
        new Entry("org.apache.coyote.", "as org.apache.tomcat.util.net"),
        new Entry("org.apache.catalina.core.ContainerBase$", "background work of the container"),
        new Entry("org.eclipse.jetty.", "the next request of a connection, reserved threads (OTel)"),
        new Entry("io.undertow.", "the next request of a connection"),
        new Entry("org.xnio.", "event loops"),
        // One run serves what many have queued: whoever queues first starts it.
        new Entry("com.google.common.util.concurrent.SequentialExecutor$", "runs what many submitters have queued"),
        new Entry("io.grpc.internal.SerializingExecutor", "runs what many have queued"),
        new Entry("io.vertx.core.impl.TaskQueue", "runs what many have queued, in their order"),
        new Entry("io.vertx.core.impl.WorkerTaskQueue", "as TaskQueue"),
        new Entry("io.vertx.core.impl.OrderedExecutorFactory$", "as TaskQueue, before 3.5"),
        new Entry(
                "io.reactivex.rxjava3.internal.schedulers.ExecutorScheduler$ExecutorWorker",
                "runs what a worker's users have queued; its nested classes are single tasks",
                true),
        new Entry("io.reactivex.internal.schedulers.ExecutorScheduler$ExecutorWorker", "the same in RxJava 2", true),
        new Entry(
                "reactor.core.scheduler.ExecutorScheduler$ExecutorSchedulerTrampolineWorker",
                "runs what a worker's users have queued"),
        new Entry("scala.concurrent.BatchingExecutor$", "runs what many callbacks have queued"),
        new Entry("com.rabbitmq.client.impl.", "delivers to all consumers of a connection"),
        new Entry("org.apache.activemq.thread.", "runs what many have queued"),
        new Entry("akka.dispatch.", "a mailbox: each message has a sender of its own (OTel)"),
        new Entry("org.apache.pekko.dispatch.", "a mailbox: each message has a sender of its own (OTel)"),
        new Entry("akka.stream.impl.", "the next request of a connection (OTel)"),
        new Entry("ratpack.exec.internal.", "follows its own executions (OTel)"),
        new Entry("kotlinx.coroutines.", "goes on with a coroutine, which has its leases in its own context"),
        // Schedules by one-shot tasks that schedule themselves again, and listeners that never end.
        new Entry(
                "org.springframework.scheduling.concurrent.ReschedulingRunnable",
                "a cron job: periodic, one shot at a time"),
        new Entry("org.quartz.", "a scheduler's own threads (OTel)"),
        new Entry("org.springframework.amqp.rabbit.listener.", "reads a queue for ever (OTel)"),
        new Entry("org.springframework.jms.listener.", "reads a queue for ever"),
        new Entry("org.springframework.kafka.listener.", "reads a topic for ever"),
        // Lockfence.
        new Entry("io.lockfence.bootstrap.", "ours"),
    };

    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return why(type.getName()) != null || ours(type);
        }
    };

    private Housekeeping() {}

    static boolean is(Class<?> type) {
        return KNOWN.get(type);
    }

    /** Why a class of this name inherits nothing; null if it does. */
    static String why(String name) {
        for (Entry entry : ENTRIES) {
            if (entry.matches(name)) {
                return entry.why();
            }
        }
        return null;
    }

    /** What the agent runs for itself: its own classes, and the libraries that it brings. */
    private static boolean ours(Class<?> type) {
        ClassLoader agents = AdviceLinker.adviceLoader();
        return agents != null && type.getClassLoader() == agents;
    }
}
