/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code CoyoteAdapter.service} and {@code asyncDispatch}: one request, or one more turn of an asynchronous one. */
public final class RequestAdvice {
    private RequestAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static LeaseContext enter() {
        return LeaseContext.beginUnit();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false)
    public static void exit(
            @Advice.Enter LeaseContext before,
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
        Requests.ended(before, request);
    }
}
