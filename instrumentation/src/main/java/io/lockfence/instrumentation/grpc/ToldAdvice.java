/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.instrumentation.Callbacks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Callbacks of a call that the service made: under the leases that it was asked for under. */
public final class ToldAdvice {
    private ToldAdvice() {}

    /** What a stream tells its call, on the call's executor. */
    public static final class Streamed {
        private Streamed() {}

        @Advice.OnMethodEnter(inline = false)
        public static Object enter(
                @Advice.FieldValue(value = "this$1", typing = Assigner.Typing.DYNAMIC) Object streamListener) {
            return Calls.toldBy(streamListener);
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object begun) {
            Callbacks.end(begun);
        }
    }

    /** {@code ClientCallImpl.closeObserver}: the last callback of each call. */
    public static final class Closed {
        private Closed() {}

        @Advice.OnMethodEnter(inline = false)
        public static Object enter(@Advice.This Object call) {
            return Calls.told(call);
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object begun) {
            Callbacks.end(begun);
        }
    }
}
