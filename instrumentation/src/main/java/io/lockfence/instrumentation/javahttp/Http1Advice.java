/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code Http1Request.headers()}: the connection is there, and the bytes of the request are made. What this throws makes the call fail. */
public final class Http1Advice {
    private Http1Advice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToFields(
            @Advice.AssignReturned.ToFields.ToField(value = "userHeaders", typing = Assigner.Typing.DYNAMIC))
    public static Object enter(
            @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request,
            @Advice.FieldValue(value = "userHeaders", typing = Assigner.Typing.DYNAMIC) Object headers)
            throws IOException {
        return Requests.writing(request, headers);
    }
}
