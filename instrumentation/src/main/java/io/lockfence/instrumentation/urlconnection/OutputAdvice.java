/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import io.lockfence.bootstrap.LeaseContext;
import java.io.IOException;
import java.net.HttpURLConnection;
import net.bytebuddy.asm.Advice;

/** {@code getOutputStream}: the service makes the call. */
public final class OutputAdvice {
    private OutputAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This HttpURLConnection connection) throws IOException {
        if (!LeaseContext.idle()) {
            Requests.calling(connection, true);
        }
    }
}
