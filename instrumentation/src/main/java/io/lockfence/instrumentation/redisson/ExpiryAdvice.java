/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.util.concurrent.TimeUnit;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The funnels of {@code expire…}: they set a lock's time left, whoever holds it; {@code RedissonMultiLock} does so to its members. */
public final class ExpiryAdvice {
    private ExpiryAdvice() {}

    /** {@code expireAsync(time, unit, condition, keys)}. */
    public static final class In {
        private In() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object object,
                @Advice.Argument(0) long time,
                @Advice.Argument(1) TimeUnit unit,
                @Advice.Argument(2) String condition) {
            return Changes.expiring(object, unit.toMillis(time), condition);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object change, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Changes.sent(change, future);
        }
    }

    /** {@code expireAtAsync(epochMillis, condition, keys)}. */
    public static final class At {
        private At() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object object,
                @Advice.Argument(0) long epochMillis,
                @Advice.Argument(1) String condition) {
            return Changes.expiring(object, epochMillis - System.currentTimeMillis(), condition);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object change, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Changes.sent(change, future);
        }
    }

    /** {@code clearExpireAsync}. */
    public static final class Never {
        private Never() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object object) {
            return Changes.clearing(object);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object change, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Changes.sent(change, future);
        }
    }
}
