/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code HttpClient.writeRequests}: the bytes of a request are about to be written. */
public final class WriteAdvice {
    private WriteAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object header)
            throws IOException {
        Requests.writing(header);
    }
}
