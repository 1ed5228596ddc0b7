/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.bootstrap.LeaseContext;
import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The one {@code sendAsync} that all the others, and {@code send}, call: on the service's thread. */
public final class SendAsyncAdvice {
    private SendAsyncAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static CompletableFuture<?> enter(
            @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
        return LeaseContext.idle() ? null : Requests.calling(request);
    }

    @Advice.OnMethodExit(inline = false)
    @Advice.AssignReturned.ToReturned
    public static CompletableFuture<?> exit(@Advice.Enter CompletableFuture<?> refused) {
        return refused;
    }
}
