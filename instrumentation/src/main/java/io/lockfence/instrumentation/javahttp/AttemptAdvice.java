/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** An attempt, as a future: one that has failed stands in for it if it is refused. */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    /** {@code Exchange.responseAsync()}, where an attempt begins. */
    public static final class Begins {
        private Begins() {}

        @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
        public static CompletableFuture<?> enter(
                @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request) {
            return Requests.attempting(request);
        }

        @Advice.OnMethodExit(inline = false)
        @Advice.AssignReturned.ToReturned
        public static CompletableFuture<?> exit(@Advice.Enter CompletableFuture<?> refused) {
            return refused;
        }
    }

    /** {@code Stream.sendHeadersAsync()}, where HTTP/2 has its connection and makes the frame. */
    public static final class Writes {
        private Writes() {}

        @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
        public static CompletableFuture<?> enter(
                @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.FieldValue(value = "connection", typing = Assigner.Typing.DYNAMIC) Object connection) {
            return Requests.opening(request, connection);
        }

        @Advice.OnMethodExit(inline = false)
        @Advice.AssignReturned.ToReturned
        public static CompletableFuture<?> exit(@Advice.Enter CompletableFuture<?> refused) {
            return refused;
        }
    }
}
