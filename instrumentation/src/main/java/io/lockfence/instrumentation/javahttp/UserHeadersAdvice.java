/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpRequestImpl.getUserHeaders()}, of which requests are written. */
public final class UserHeadersAdvice {
    private UserHeadersAdvice() {}

    @Advice.OnMethodExit(inline = false)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(
            @Advice.This Object request, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object headers) {
        return Requests.headers(request, headers);
    }
}
