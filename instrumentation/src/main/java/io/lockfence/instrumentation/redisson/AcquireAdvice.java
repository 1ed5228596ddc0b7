/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The synchronous acquire methods: the lease begins on the caller's thread, when they have succeeded. */
public final class AcquireAdvice {
    private AcquireAdvice() {}

    /** Without a lease time: the watchdog renews. */
    public static final class Plain {
        private Plain() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock) {
            return Acquires.calling(lock, false);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.Enter Object call,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object returned,
                @Advice.Thrown Throwable thrown) {
            Acquires.returned(call, thrown == null && !Boolean.FALSE.equals(returned));
        }
    }

    /** {@code (leaseTime, unit)}. */
    public static final class Leased {
        private Leased() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock, @Advice.Argument(0) long lease) {
            return Acquires.calling(lock, lease > 0);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object call, @Advice.Thrown Throwable thrown) {
            Acquires.returned(call, thrown == null);
        }
    }

    /** {@code (waitTime, leaseTime, unit)}. */
    public static final class WaitingLeased {
        private WaitingLeased() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock, @Advice.Argument(1) long lease) {
            return Acquires.calling(lock, lease > 0);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.Enter Object call, @Advice.Return boolean returned, @Advice.Thrown Throwable thrown) {
            Acquires.returned(call, thrown == null && returned);
        }
    }

    /**
     * The methods that return the fencing token of {@code RFencedLock}, or null. Which lease time they ask for is seen where they ask:
     * {@code lockAndGetToken(leaseTime, unit)} ignores its argument, 3.19.0 to 4.7.0.
     */
    public static final class ForToken {
        private ForToken() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object lock) {
            return Acquires.calling(lock, false);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.Enter Object call,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object token,
                @Advice.Thrown Throwable thrown) {
            Acquires.returned(call, thrown == null && token != null);
        }
    }
}
