/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.util.concurrent.TimeUnit;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * One attempt to acquire: the exit replaces its future by one that completes when the token is there, or known not to come. Blocking in
 * a callback instead would stop the thread that has to read the token: a deadlock until Redisson's time-out (measured, 3.17.7 and 4.7.0).
 */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    /** {@code (waitTime, leaseTime, unit, threadId, command)}. */
    public static final class Waiting {
        private Waiting() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object lock,
                @Advice.Argument(1) long lease,
                @Advice.Argument(2) TimeUnit unit,
                @Advice.Argument(3) long threadId) {
            return Acquires.attempting(lock, threadId, unit.toMillis(lease));
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object attempt, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.attempted(attempt, future);
        }
    }

    /** {@code (leaseTime, unit, threadId)} of {@code RFencedLock}. */
    public static final class ForToken {
        private ForToken() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object lock,
                @Advice.Argument(0) long lease,
                @Advice.Argument(1) TimeUnit unit,
                @Advice.Argument(2) long threadId) {
            return Acquires.attempting(lock, threadId, unit.toMillis(lease));
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object attempt, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.attempted(attempt, future);
        }
    }
}
