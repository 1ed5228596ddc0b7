/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The first {@code AsyncExecChainElement.execute} of a call: what the client knows of the service's side, and calls on its connections' threads. */
public final class AsyncToldAdvice {
    private AsyncToldAdvice() {}

    /** For the answer, or the failure. */
    public static final class Callback {
        private Callback() {}

        @Advice.OnMethodEnter(inline = false)
        @Advice.AssignReturned.ToArguments(
                @Advice.AssignReturned.ToArguments.ToArgument(value = 3, typing = Assigner.Typing.DYNAMIC))
        public static Object enter(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object scope,
                @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object callback)
                throws Throwable {
            return AsyncCalls.callback(request, scope, callback);
        }
    }

    /** For the body of the request. */
    public static final class Producer {
        private Producer() {}

        @Advice.OnMethodEnter(inline = false)
        @Advice.AssignReturned.ToArguments(
                @Advice.AssignReturned.ToArguments.ToArgument(value = 1, typing = Assigner.Typing.DYNAMIC))
        public static Object enter(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object producer,
                @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object scope)
                throws Throwable {
            return AsyncCalls.producer(request, scope, producer);
        }
    }
}
