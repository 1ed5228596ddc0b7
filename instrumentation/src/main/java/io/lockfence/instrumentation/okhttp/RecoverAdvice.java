/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import net.bytebuddy.asm.Advice;

/** {@code RetryAndFollowUpInterceptor.recover}: whether to try another address after a failure. Not after a refusal. */
public final class RecoverAdvice {
    private RecoverAdvice() {}

    @Advice.OnMethodEnter(inline = false, skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(@Advice.Argument(0) IOException failure) {
        return Outgoing.refusal(failure) != null;
    }
}
