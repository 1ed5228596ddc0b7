/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** The callbacks of {@code ServerStreamListenerImpl}: each is a unit of work, under the leases of its call. */
public final class CallbackAdvice {
    private CallbackAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static LeaseContext enter(@Advice.This Object listener) {
        return Received.beginTurn(listener);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false)
    public static void exit(
            @Advice.This Object listener, @Advice.Enter LeaseContext before, @Advice.Thrown Throwable thrown) {
        Received.endTurn(listener, before, thrown);
    }
}
