/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import java.net.HttpURLConnection;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code writeRequests}: the request of one attempt is put together; a tunnel's {@code CONNECT} does not come here. */
public final class RequestAdvice {
    private RequestAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(
            @Advice.This HttpURLConnection connection,
            @Advice.FieldValue(value = "requests", typing = Assigner.Typing.DYNAMIC) Object header) {
        Requests.attempting(connection, header);
    }
}
