/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * The funnels of the asynchronous acquire methods. They remember whose context the lease goes on: retries run on Redisson's own
 * threads. Their exit replaces the future by one that runs what is chained to it under the lease.
 */
public final class AcquireAsyncAdvice {
    private AcquireAsyncAdvice() {}

    /** {@code (threadId)}. */
    public static final class Plain {
        private Plain() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock, @Advice.Argument(0) long threadId) {
            return Acquires.callingAsync(lock, threadId, false);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.returnedAsync(call, future, false);
        }
    }

    /** {@code (leaseTime, unit, threadId)}. */
    public static final class Leased {
        private Leased() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object lock, @Advice.Argument(0) long lease, @Advice.Argument(2) long threadId) {
            return Acquires.callingAsync(lock, threadId, lease > 0);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.returnedAsync(call, future, false);
        }
    }

    /** {@code (waitTime, leaseTime, unit, threadId)}. */
    public static final class WaitingLeased {
        private WaitingLeased() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object lock, @Advice.Argument(1) long lease, @Advice.Argument(3) long threadId) {
            return Acquires.callingAsync(lock, threadId, lease > 0);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.returnedAsync(call, future, false);
        }
    }

    /** The same, of {@code RFencedLock}: the future's value is the token, or null. */
    public static final class WaitingLeasedForToken {
        private WaitingLeasedForToken() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object lock, @Advice.Argument(1) long lease, @Advice.Argument(3) long threadId) {
            return Acquires.callingAsync(lock, threadId, lease > 0);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquires.returnedAsync(call, future, true);
        }
    }
}
