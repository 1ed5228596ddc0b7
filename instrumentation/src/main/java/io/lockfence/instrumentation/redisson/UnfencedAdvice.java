/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import net.bytebuddy.asm.Advice;

/** The lock types that are not fenced: reported where a rule names them, never passed over in silence. */
public final class UnfencedAdvice {
    private UnfencedAdvice() {}

    /** An attempt to acquire a lock of such a type. */
    public static final class Attempt {
        private Attempt() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object lock) {
            Unfenced.used(lock);
        }
    }

    /** The constructor of {@code RedissonMultiLock} and of what extends it. */
    public static final class Members {
        private Members() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(@Advice.This Object multi, @Advice.Argument(0) Object[] members) {
            Unfenced.grouped(multi, members);
        }
    }

    /** The acquire methods of a {@code RedissonMultiLock} that may be older than the agent. */
    public static final class Older {
        private Older() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object multi) {
            Unfenced.met(multi);
        }
    }
}
