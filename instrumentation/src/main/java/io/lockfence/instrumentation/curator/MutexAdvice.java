/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import net.bytebuddy.asm.Advice;

/** {@code InterProcessMutex}. */
public final class MutexAdvice {
    private MutexAdvice() {}

    /** What all acquire methods end in, and re-entries too. */
    public static final class Acquire {
        private Acquire() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(@Advice.This Object mutex, @Advice.Return boolean acquired) {
            if (acquired) {
                Mutexes.acquired(mutex);
            }
        }
    }

    /** A release, on the thread that made it; Curator refuses another one's. */
    public static final class Release {
        private Release() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object mutex) {
            Mutexes.releasing(mutex);
        }
    }
}
