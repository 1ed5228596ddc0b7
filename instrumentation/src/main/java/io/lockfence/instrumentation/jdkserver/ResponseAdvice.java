/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jdkserver;

import java.io.OutputStream;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The commit of a response, and what is written after it. */
public final class ResponseAdvice {
    private ResponseAdvice() {}

    /** {@code ExchangeImpl.sendResponseHeaders(status, length)}, below what a service may have wrapped around it. */
    public static final class Head {
        private Head() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments({
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, index = 0, typing = Assigner.Typing.DYNAMIC),
            @Advice.AssignReturned.ToArguments.ToArgument(value = 1, index = 1, typing = Assigner.Typing.DYNAMIC)
        })
        public static Object[] enter(
                @Advice.This Object below, @Advice.Argument(0) int status, @Advice.Argument(1) long length) {
            return Exchanges.sending(below, status, length);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter Object[] instead,
                @Advice.FieldValue(value = "uos_orig", typing = Assigner.Typing.DYNAMIC) OutputStream body) {
            Exchanges.sent(instead, body);
        }
    }

    /** The three {@code write} of {@code PlaceholderOutputStream}: skipped where the response was replaced. */
    public static final class Write {
        private Write() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(@Advice.This Object body) {
            return Exchanges.isReplaced(body);
        }
    }
}
