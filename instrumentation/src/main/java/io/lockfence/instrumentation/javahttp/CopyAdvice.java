/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** A request that goes on as another one. */
public final class CopyAdvice {
    private CopyAdvice() {}

    /** To where the server said. */
    public static final class Redirected {
        private Redirected() {}

        @Advice.OnMethodExit(inline = false)
        public static void exit(
                @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object next) {
            Requests.continued(request, next);
        }
    }

    /** With an answer to the server's challenge. */
    public static final class Authenticated {
        private Authenticated() {}

        @Advice.OnMethodExit(inline = false)
        public static void exit(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object next) {
            Requests.continued(request, next);
        }
    }
}
