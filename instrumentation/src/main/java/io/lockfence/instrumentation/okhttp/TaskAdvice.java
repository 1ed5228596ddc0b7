/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * A queued call and its callback, on a thread of the dispatcher: started by whatever call has ended, or by whichever thread has queued another one, so that the
 * leases of that thread are not its own.
 */
public final class TaskAdvice {
    private TaskAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    public static LeaseContext enter(
            @Advice.FieldValue(value = "this$0", typing = Assigner.Typing.DYNAMIC) Object call) {
        return Calls.dispatched(call);
    }

    @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class)
    public static void exit(@Advice.Enter LeaseContext before) {
        Calls.done(before);
    }
}
