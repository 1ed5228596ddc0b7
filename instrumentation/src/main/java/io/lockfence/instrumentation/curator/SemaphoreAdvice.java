/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code InterProcessSemaphoreV2}. */
public final class SemaphoreAdvice {
    private SemaphoreAdvice() {}

    /** What all acquire methods end in. */
    public static final class Acquire {
        private Acquire() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter() {
            Semaphores.acquiring();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.This Object semaphore, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object leases) {
            Semaphores.acquired(semaphore, leases);
        }
    }

    /** The constructor with a {@code SharedCountReader}. */
    public static final class SizedElsewhere {
        private SizedElsewhere() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(@Advice.This Object semaphore) {
            Semaphores.sizedElsewhere(semaphore);
        }
    }

    /** {@code InterProcessSemaphore}, the older one. */
    public static final class Older {
        private Older() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object semaphore) {
            Semaphores.acquiredOlder(semaphore);
        }
    }

    /** {@code Lease.close()}: what all releases end in. */
    public static final class Release {
        private Release() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(
                @Advice.This Object lease,
                @Advice.FieldValue(value = "this$0", typing = Assigner.Typing.DYNAMIC) Object semaphore) {
            Semaphores.releasing(semaphore, lease);
        }
    }
}
