/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Redisson. The names and descriptors are the same in 3.17.7 and 4.7.0, except where a line says otherwise. */
public final class RedissonLibrary implements Library {
    /** The rules' name. */
    static final String NAME = "redisson";

    private static final String ACQUIRE = "acquire";
    private static final String ATTEMPT = "attempt";
    private static final String RENEWAL = "renewal";
    private static final String RELEASE = "release";
    private static final String HELD = "held";
    private static final String DESTRUCTION = "destruction";
    private static final String EXPIRY = "expiry";
    private static final String OLDER = "groups made before";
    private static final String UNFENCED = "unfenced types";

    private static final String LOCK = "org.redisson.RedissonLock";
    private static final String FAIR = "org.redisson.RedissonFairLock";
    private static final String FENCED = "org.redisson.RedissonFencedLock"; // from 3.19.0
    private static final String NON_REENTRANT = "org.redisson.RedissonNonReentrantLock"; // from 4.6.1
    private static final String NON_REENTRANT_FAIR = "org.redisson.RedissonNonReentrantFairLock"; // from 4.6.1
    private static final String BASE = "org.redisson.RedissonBaseLock";
    private static final String EXPIRABLE = "org.redisson.RedissonExpirable";
    private static final String MULTI = "org.redisson.RedissonMultiLock";
    private static final String UNIT = "Ljava/util/concurrent/TimeUnit;";
    private static final String TRY_INNER = "(JJ" + UNIT + "JLorg/redisson/client/protocol/RedisStrictCommand;)";

    private static final List<Point> POINTS = List.of(
            new Point(LOCK, "lock", "()V", AcquireAdvice.Plain.class, ACQUIRE),
            new Point(LOCK, "lock", "(J" + UNIT + ")V", AcquireAdvice.Leased.class, ACQUIRE),
            new Point(LOCK, "lockInterruptibly", "()V", AcquireAdvice.Plain.class, ACQUIRE),
            new Point(LOCK, "lockInterruptibly", "(J" + UNIT + ")V", AcquireAdvice.Leased.class, ACQUIRE),
            new Point(LOCK, "tryLock", "()Z", AcquireAdvice.Plain.class, ACQUIRE),
            new Point(LOCK, "tryLock", "(J" + UNIT + ")Z", AcquireAdvice.Plain.class, ACQUIRE),
            new Point(LOCK, "tryLock", "(JJ" + UNIT + ")Z", AcquireAdvice.WaitingLeased.class, ACQUIRE),
            new Point(FENCED, "lockAndGetToken", "(", AcquireAdvice.ForToken.class, ACQUIRE),
            new Point(FENCED, "tryLockAndGetToken", "(", AcquireAdvice.ForToken.class, ACQUIRE),
            new Point(LOCK, "lockAsync", "(J" + UNIT + "J)", AcquireAsyncAdvice.Leased.class, ACQUIRE),
            new Point(LOCK, "tryLockAsync", "(J)", AcquireAsyncAdvice.Plain.class, ACQUIRE),
            new Point(LOCK, "tryLockAsync", "(JJ" + UNIT + "J)", AcquireAsyncAdvice.WaitingLeased.class, ACQUIRE),
            new Point(
                    FENCED,
                    "tryLockAndGetTokenAsync",
                    "(JJ" + UNIT + "J)",
                    AcquireAsyncAdvice.WaitingLeasedForToken.class,
                    ACQUIRE),
            new Point(LOCK, "tryLockInnerAsync", TRY_INNER, AttemptAdvice.Waiting.class, ATTEMPT),
            new Point(FAIR, "tryLockInnerAsync", TRY_INNER, AttemptAdvice.Waiting.class, ATTEMPT),
            new Point(FENCED, "tryLockInnerAsync", TRY_INNER, AttemptAdvice.Waiting.class, ATTEMPT),
            new Point(FENCED, "tryLockInnerAsync", "(J" + UNIT + "J)", AttemptAdvice.ForToken.class, ATTEMPT),
            new Point(NON_REENTRANT, "tryLockInnerAsync", TRY_INNER, AttemptAdvice.Waiting.class, ATTEMPT),
            new Point(NON_REENTRANT_FAIR, "tryLockInnerAsync", TRY_INNER, AttemptAdvice.Waiting.class, ATTEMPT),
            // Up to 3.43 each lock renews itself; from 3.44 one script renews all, and passes syncedEval (there from
            // 3.21 on).
            new Point(BASE, "renewExpirationAsync", "(J)", RenewalAdvice.OfOneLock.class, RENEWAL),
            new Point(
                    "org.redisson.command.CommandAsyncService",
                    "syncedEval",
                    "(Ljava/lang/String;Lorg/redisson/client/codec/Codec;Lorg/redisson/client/protocol/RedisCommand;"
                            + "Ljava/lang/String;Ljava/util/List;[Ljava/lang/Object;)",
                    RenewalAdvice.OfManyLocks.class,
                    RENEWAL),
            new Point(BASE, "unlockAsync", "(J)", ReleaseAdvice.class, RELEASE),
            new Point(BASE, "isHeldByThread", "(J)Z", HeldAdvice.class, HELD),
            new Point(LOCK, "forceUnlockAsync", "()", DestructionAdvice.class, DESTRUCTION),
            new Point(FAIR, "forceUnlockAsync", "()", DestructionAdvice.class, DESTRUCTION),
            new Point(FAIR, "deleteAsync", "()", DestructionAdvice.class, DESTRUCTION),
            new Point(FENCED, "deleteAsync", "()", DestructionAdvice.class, DESTRUCTION),
            new Point(
                    EXPIRABLE,
                    "expireAsync",
                    "(J" + UNIT + "Ljava/lang/String;[Ljava/lang/String;)",
                    ExpiryAdvice.In.class,
                    EXPIRY),
            new Point(
                    EXPIRABLE,
                    "expireAtAsync",
                    "(JLjava/lang/String;[Ljava/lang/String;)",
                    ExpiryAdvice.At.class,
                    EXPIRY),
            new Point(EXPIRABLE, "clearExpireAsync", "(", ExpiryAdvice.Never.class, EXPIRY),
            // Read and write locks are RedissonLocks, and met at its public methods.
            new Point(
                    "org.redisson.RedissonSpinLock",
                    "tryLockInnerAsync",
                    "(J" + UNIT + "J",
                    UnfencedAdvice.Attempt.class,
                    UNFENCED),
            new Point(
                    "org.redisson.RedissonFasterMultiLock",
                    "tryLockInnerAsync",
                    "(J" + UNIT + "J",
                    UnfencedAdvice.Attempt.class,
                    UNFENCED),
            new Point(MULTI, "<init>", "([Lorg/redisson/api/RLock;)", UnfencedAdvice.Members.class, UNFENCED));

    /** What the constructor of a group told, of groups that are older than the agent: the methods that all its acquire methods end in. */
    private static final List<Point> LATE_POINTS = List.of(
            new Point(MULTI, "tryLock", "(JJ" + UNIT + ")Z", UnfencedAdvice.Older.class, OLDER),
            new Point(MULTI, "tryLockAsync", "(JJ" + UNIT + "J)", UnfencedAdvice.Older.class, OLDER),
            new Point(MULTI, "lockAsync", "(J" + UNIT + "J)", UnfencedAdvice.Older.class, OLDER));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Point> points() {
        return POINTS;
    }

    @Override
    public List<Point> latePoints() {
        return LATE_POINTS;
    }

    @Override
    public Level level(Set<String> woven) {
        if (!woven.contains(RELEASE)) {
            return Level.INACTIVE;
        }
        if (woven.contains(ATTEMPT)) {
            return woven.contains(RENEWAL) ? Level.FULL : Level.PROBING;
        }
        return woven.contains(ACQUIRE) ? Level.ASKING : Level.INACTIVE;
    }
}
