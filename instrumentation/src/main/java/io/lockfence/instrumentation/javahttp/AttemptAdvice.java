package io.lockfence.instrumentation.javahttp;

import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code Exchange.responseAsync()}, where an attempt begins, and {@code Stream.sendHeadersAsync()}, where HTTP/2 has its connection and makes the frame. */
public final class AttemptAdvice {
    private AttemptAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static CompletableFuture<?> enter(
            @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request) {
        return Requests.attempting(request);
    }

    @Advice.OnMethodExit(inline = false)
    @Advice.AssignReturned.ToReturned
    public static CompletableFuture<?> exit(@Advice.Enter CompletableFuture<?> refused) {
        return refused;
    }
}
