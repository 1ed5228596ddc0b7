/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.bootstrap.LeaseContext;
import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code doExecute}, which all {@code execute} methods of a client call: retries and redirects are below it, on the same thread. */
public final class CallAdvice {
    private CallAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static Object enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object target,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object request)
            throws IOException {
        return LeaseContext.idle() ? null : Calls.CLASSIC.calling(target, request);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    @Advice.AssignReturned.ToThrown
    public static Throwable exit(@Advice.Enter Object call, @Advice.Thrown Throwable thrown) {
        return call == null ? null : Calls.CLASSIC.called(call, thrown);
    }
}
