/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.concurrent.CompletionStage;

/**
 * The way back to the coordinator for one owner of one lock, as an integration offers it. Thread safe.
 * Stages complete on any thread, within the library's own time-outs, exceptionally if the coordinator cannot be asked.
 */
public interface Coordinator {
    /** "If I still own the lock: the time left and the hold count." Issues no token. */
    CompletionStage<Proof> ask();

    /**
     * "If I still own the lock: a token above this one" (DESIGN P6); the counter stays above it.
     *
     * @return a stage that fails with {@link UnsupportedOperationException} where the coordinator's numbers cannot be raised
     */
    CompletionStage<Proof> raiseAbove(long token);

    /**
     * Whether the lock has numbers of its own. If not, a lease begins with token 0, and the claim issues its token: the order of the claims is
     * then the order of the holds, which the deadline must see to.
     */
    default boolean mints() {
        return true;
    }

    /**
     * Whether the coordinator grants the hold for no time that is known, so that anybody may end it at any moment: then it is asked before what is sent under the lease, as
     * often as the rule of the lock says. May change while the hold lasts.
     */
    default boolean verifies() {
        return false;
    }
}
