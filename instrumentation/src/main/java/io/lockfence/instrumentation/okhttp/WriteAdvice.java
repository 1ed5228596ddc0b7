/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code writeRequestHeaders} of the two codecs: requests are never changed, so another one is written. */
public final class WriteAdvice {
    private WriteAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, typing = Assigner.Typing.DYNAMIC))
    public static Object enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request)
            throws Throwable {
        return Calls.writing(request);
    }
}
