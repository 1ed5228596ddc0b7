/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** What the service gives to {@code execute} of an asynchronous client to be called back, on the threads of its connections. */
public final class CallbackAdvice {
    private CallbackAdvice() {}

    /** The consumer of the answer. */
    public static final class Consumer {
        private Consumer() {}

        @Advice.OnMethodEnter(inline = false)
        @Advice.AssignReturned.ToArguments(
                @Advice.AssignReturned.ToArguments.ToArgument(value = 1, typing = Assigner.Typing.DYNAMIC))
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object consumer) {
            return LeaseContext.idle() ? null : AsyncCalls.consuming(client, consumer);
        }
    }

    /** What is to be told of the end. */
    public static final class Callback {
        private Callback() {}

        @Advice.OnMethodEnter(inline = false)
        @Advice.AssignReturned.ToArguments(
                @Advice.AssignReturned.ToArguments.ToArgument(value = 3, typing = Assigner.Typing.DYNAMIC))
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object callback) {
            return LeaseContext.idle() ? null : AsyncCalls.ending(client, callback);
        }
    }
}
