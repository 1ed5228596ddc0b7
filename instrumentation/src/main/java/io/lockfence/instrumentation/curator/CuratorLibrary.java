/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Apache Curator. The names and descriptors are the same in 4.0.1 and 5.9.0, except where a line says otherwise. */
public final class CuratorLibrary implements Library {
    /** The rules' name. */
    static final String NAME = "curator";

    private static final String MUTEX = "mutexes";
    private static final String MUTEX_RELEASE = "releases of mutexes";
    private static final String SEMAPHORE = "semaphores";
    private static final String SEMAPHORE_RELEASE = "releases of semaphores";
    private static final String LATCH = "leader latches";
    private static final String LATCH_NODE = "nodes of leader latches";
    private static final String UNFENCED = "unfenced types";

    private static final String LOCKS = "org.apache.curator.framework.recipes.locks.";
    private static final String LEADER_LATCH = "org.apache.curator.framework.recipes.leader.LeaderLatch";
    private static final String UNIT = "Ljava/util/concurrent/TimeUnit;";

    private static final List<Point> POINTS = List.of(
            new Point(
                    LOCKS + "InterProcessMutex", "internalLock", "(J" + UNIT + ")Z", MutexAdvice.Acquire.class, MUTEX),
            new Point(LOCKS + "InterProcessMutex", "release", "()V", MutexAdvice.Release.class, MUTEX_RELEASE),
            new Point(
                    LOCKS + "InterProcessSemaphoreV2",
                    "acquire",
                    "(IJ" + UNIT + ")",
                    SemaphoreAdvice.Acquire.class,
                    SEMAPHORE),
            new Point(
                    LOCKS + "InterProcessSemaphoreV2",
                    "<init>",
                    "(Lorg/apache/curator/framework/CuratorFramework;Ljava/lang/String;Lorg/apache/curator/framework/recipes/shared/SharedCountReader;)V",
                    SemaphoreAdvice.SizedElsewhere.class,
                    UNFENCED),
            new Point(
                    LOCKS + "InterProcessSemaphore",
                    "acquire",
                    "(IJ" + UNIT + ")",
                    SemaphoreAdvice.Older.class,
                    UNFENCED),
            // The lease that makeLease(path) makes.
            new Point(
                    LOCKS + "InterProcessSemaphoreV2$3",
                    "close",
                    "()V",
                    SemaphoreAdvice.Release.class,
                    SEMAPHORE_RELEASE),
            new Point(LEADER_LATCH, "setLeadership", "(Z)V", LatchAdvice.Leadership.class, LATCH),
            new Point(LEADER_LATCH, "setNode", "(Ljava/lang/String;)V", LatchAdvice.Node.class, LATCH_NODE),
            // All others end in this one; in 5.9 closeOnDemand(), of the latch itself, ends in setLeadership alone.
            new Point(
                    LEADER_LATCH,
                    "close",
                    "(L" + LEADER_LATCH.replace('.', '/') + "$CloseMode;)V",
                    LatchAdvice.Close.class,
                    LATCH));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Point> points() {
        return POINTS;
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(Set.of(MUTEX, MUTEX_RELEASE, SEMAPHORE, SEMAPHORE_RELEASE, LATCH, LATCH_NODE))
                ? Level.FULL
                : Level.INACTIVE;
    }
}
