/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.executors;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import java.util.concurrent.Executor;
import net.bytebuddy.asm.Advice;

/** The constructor of what is chained to a {@code CompletableFuture}. */
public final class ChainAdvice {
    private ChainAdvice() {}

    @Advice.OnMethodExit
    public static void exit(@Advice.This Object completion, @Advice.Argument(0) Executor executor) {
        if (executor != null && !LeaseContext.idle()) {
            Submissions.chained(completion);
        }
    }
}
