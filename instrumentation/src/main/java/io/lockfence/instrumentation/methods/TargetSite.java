/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

/** The calls of the methods of one target. Nothing of a call is read: what counts is the thread that makes it. Thread safe. */
final class TargetSite {
    private final String target;

    TargetSite(String target) {
        this.target = target;
    }

    /**
     * A method is called.
     *
     * @return for {@link #exit}
     * @throws io.lockfence.bootstrap.FencedException if it must not run
     */
    boolean enter() {
        if (LeaseContext.idle()) {
            return false;
        }
        // Null while a running JVM is being woven.
        Effects effects = Seams.effects();
        return effects != null && effects.calling(target);
    }

    /** The method returns or throws. */
    void exit(boolean told) {
        if (told) {
            Seams.effects().called();
        }
    }
}
