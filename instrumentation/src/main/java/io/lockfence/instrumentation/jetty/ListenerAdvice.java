/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** What of an asynchronous request runs beside its turns, in every edition of Jetty's servlets: {@code HttpChannelState} and what became of it. */
public final class ListenerAdvice {
    private ListenerAdvice() {}

    /** {@code runInContext(event, Runnable)}: listeners, also on the timer's thread. */
    public static final class InContext {
        private InContext() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object state) {
            return AsyncRequests.joins(state);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object joined) {
            AsyncRequests.leaves(joined);
        }
    }

    /** {@code AsyncContext.start(Runnable)}. */
    public static final class Started {
        private Started() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
        public static Runnable enter(
                @Advice.FieldValue(value = "_state", typing = Assigner.Typing.DYNAMIC) Object state,
                @Advice.Argument(0) Runnable task) {
            return AsyncRequests.turn(state, task);
        }
    }
}
