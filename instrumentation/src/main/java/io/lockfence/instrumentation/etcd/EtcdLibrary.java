/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * jetcd. The implementations moved with 0.7.0 from {@code io.etcd.jetcd} to {@code io.etcd.jetcd.impl}; names and descriptors are the same in 0.5.11 and 0.8.7 but for where
 * a line says otherwise.
 */
public final class EtcdLibrary implements Library {
    /** The rules' name. */
    static final String NAME = "etcd";

    private static final String LOCK = "locks";
    private static final String UNLOCK = "unlocks";
    private static final String CAMPAIGN = "campaigns";
    private static final String RESIGN = "resignations";
    private static final String REVOKE = "revocations";
    private static final String GRANT = "grants";
    private static final String KEEP_ALIVE = "renewals";
    private static final String OLDER = "clients of elections";

    private static final String OLD = "io.etcd.jetcd.";
    private static final String NEW = "io.etcd.jetcd.impl.";
    private static final String BYTES = "Lio/etcd/jetcd/ByteSequence;";
    private static final String ANSWER = "(Lio/etcd/jetcd/api/LeaseKeepAliveResponse;)V";

    private static final List<Point> POINTS = Stream.of(
                    both("LockImpl", "lock", "(" + BYTES + "J)", LockAdvice.Acquire.class, LOCK),
                    both("LockImpl", "unlock", "(" + BYTES + ")", LockAdvice.Release.class, UNLOCK),
                    both(
                            "ElectionImpl",
                            "campaign",
                            "(" + BYTES + "J" + BYTES + ")",
                            ElectionAdvice.Campaign.class,
                            CAMPAIGN),
                    both(
                            "ElectionImpl",
                            "resign",
                            "(Lio/etcd/jetcd/election/LeaderKey;)",
                            ElectionAdvice.Resign.class,
                            RESIGN),
                    both("LeaseImpl", "revoke", "(J)", LeaseAdvice.Revoke.class, REVOKE),
                    both("LeaseImpl", "grant", "(J)", LeaseAdvice.Grant.class, GRANT),
                    both("LeaseImpl", "grant", "(JJLjava/util/concurrent/TimeUnit;)", LeaseAdvice.Grant.class, GRANT),
                    both("LeaseImpl", "keepAliveOnce", "(J)", LeaseAdvice.KeepAliveOnce.class, KEEP_ALIVE),
                    both(
                            "LeaseImpl",
                            "keepAlive",
                            "(JLio/grpc/stub/StreamObserver;)",
                            LeaseAdvice.KeepAlive.class,
                            KEEP_ALIVE),
                    Stream.of(
                            new Point(
                                    OLD + "LeaseImpl",
                                    "processKeepAliveResponse",
                                    ANSWER,
                                    LeaseAdvice.KeptAlive.class,
                                    KEEP_ALIVE),
                            new Point(
                                    NEW + "LeaseImpl$KeepAlive",
                                    "handleResponse",
                                    ANSWER,
                                    LeaseAdvice.KeptAlive.class,
                                    KEEP_ALIVE),
                            // From 0.7.0 on the connection can be read from the object.
                            new Point(
                                    OLD + "ElectionImpl",
                                    "<init>",
                                    "(Lio/etcd/jetcd/ClientConnectionManager;)V",
                                    ElectionAdvice.Made.class,
                                    OLDER)))
            .flatMap(points -> points)
            .toList();

    private static Stream<Point> both(
            String className, String method, String descriptor, Class<?> advice, String capability) {
        return Stream.of(
                new Point(OLD + className, method, descriptor, advice, capability),
                new Point(NEW + className, method, descriptor, advice, capability));
    }

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
        if (!woven.containsAll(Set.of(LOCK, UNLOCK, CAMPAIGN, RESIGN, REVOKE))) {
            return Level.INACTIVE;
        }
        return woven.containsAll(Set.of(GRANT, KEEP_ALIVE)) ? Level.FULL : Level.PROBING;
    }
}
