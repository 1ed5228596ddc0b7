/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.Callbacks;
import net.bytebuddy.asm.Advice;

/** {@code Content.Source.demand}: what goes on when there is more of a response, under the leases of whoever wants more. */
public final class DemandAdvice {
    private DemandAdvice() {}

    @Advice.OnMethodEnter(inline = false)
    @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
    public static Runnable enter(@Advice.Argument(0) Runnable callback) {
        return LeaseContext.idle() ? null : Callbacks.under(LeaseContext.current(), callback);
    }
}
