/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** {@code RealCall}: the service makes the call. */
public final class CallAdvice {
    private CallAdvice() {}

    /** {@code execute}: it runs here and now. */
    public static final class Execute {
        private Execute() {}

        @Advice.OnMethodEnter(inline = false)
        public static void enter(@Advice.This Object call) {
            if (!LeaseContext.idle()) {
                Calls.made(call, false);
            }
        }
    }

    /** {@code enqueue}: it runs later, on a thread of the dispatcher. */
    public static final class Enqueue {
        private Enqueue() {}

        @Advice.OnMethodEnter(inline = false)
        public static void enter(@Advice.This Object call) {
            if (!LeaseContext.idle()) {
                Calls.made(call, true);
            }
        }
    }
}
