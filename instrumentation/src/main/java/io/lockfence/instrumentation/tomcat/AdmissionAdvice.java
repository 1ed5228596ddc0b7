/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * The end of {@code CoyoteAdapter.postParseRequest}: the path is decoded and mapped, and no valve has seen the request. Again after a rewrite, with the new
 * path. It then says false where the request is answered.
 */
public final class AdmissionAdvice {
    private AdmissionAdvice() {}

    @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
    @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
    public static Object exit(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
            @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object servletRequest,
            @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object servletResponse,
            @Advice.Return boolean parsed) {
        return Requests.admits(request, servletRequest, servletResponse, parsed);
    }
}
