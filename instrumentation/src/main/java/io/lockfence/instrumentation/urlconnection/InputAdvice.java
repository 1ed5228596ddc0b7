/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import io.lockfence.bootstrap.LeaseContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import net.bytebuddy.asm.Advice;

/** {@code getInputStream}: the service makes the call, unless it has before; every getter of the answer comes here. */
public final class InputAdvice {
    private InputAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(
            @Advice.This HttpURLConnection connection, @Advice.FieldValue("inputStream") InputStream answer)
            throws IOException {
        if (answer == null && !LeaseContext.idle()) {
            Requests.calling(connection, false);
        }
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.This HttpURLConnection connection, @Advice.Thrown Throwable thrown) {
        if (thrown != null) {
            Requests.failed(connection, thrown);
        }
    }
}
