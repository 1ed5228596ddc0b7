/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The watchdog's renewals, as they are sent and answered. */
public final class RenewalAdvice {
    private RenewalAdvice() {}

    /** {@code RedissonBaseLock.renewExpirationAsync(threadId)}, up to 3.43. */
    public static final class OfOneLock {
        private OfOneLock() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock, @Advice.Argument(0) long threadId) {
            return Renewals.ofOneLock(lock, threadId);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object renewal, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Renewals.sent(renewal, future);
        }
    }

    /** {@code CommandAsyncService.syncedEval(key, codec, command, script, keys, arguments)}. */
    public static final class OfManyLocks {
        private OfManyLocks() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.Argument(3) String script,
                @Advice.Argument(4) List<?> keys,
                @Advice.Argument(5) Object[] arguments) {
            return Renewals.ofManyLocks(script, keys, arguments);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object renewal, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Renewals.sent(renewal, future);
        }
    }
}
