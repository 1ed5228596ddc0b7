/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Proof;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The coordinator of a lock that is known by its methods alone: it cannot be asked anything. */
enum NoNumbers implements Coordinator {
    /** Its calls have a token, which nobody can raise. */
    FROM_CALLS,
    /** It has no token: the claim issues it. */
    ISSUED_BY_CLAIM;

    @Override
    public CompletionStage<Proof> ask() {
        return unsupported();
    }

    @Override
    public CompletionStage<Proof> raiseAbove(long token) {
        return unsupported();
    }

    @Override
    public boolean mints() {
        return this == FROM_CALLS;
    }

    private static CompletionStage<Proof> unsupported() {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("a lock that is known by its methods cannot be asked"));
    }
}
