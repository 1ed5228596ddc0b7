/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import java.io.IOException;
import net.bytebuddy.asm.Advice;

/** {@code requestConnection}: the call begins, on the service's thread; later also where a redirect needs another connection. */
public final class AsyncConnectAdvice {
    private AsyncConnectAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static void enter(@Advice.This Object handler) throws IOException {
        AsyncCalls.connecting(handler);
    }
}
