/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import java.nio.ByteBuffer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The two ways by which a response is committed, below every filter, buffer and error page, and above compression. */
public final class ResponseAdvice {
    private ResponseAdvice() {}

    /** {@code coyote.Response.doWrite(ByteBuffer)}: skipped where the response was replaced. */
    public static final class Write {
        private Write() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(@Advice.This Object response, @Advice.Argument(0) ByteBuffer content) {
            return Responses.writing(response, content);
        }
    }

    /** {@code coyote.Response.action(ActionCode, Object)}: commits, flushes and closes without a body. */
    public static final class Action {
        private Action() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(
                @Advice.This Object response,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object code) {
            Responses.acting(response, code);
        }
    }
}
