/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Seams;
import java.util.function.Function;

/** What the rules say of calls and requests under no living lease: the stricter of {@code unleased} and {@code afterRelease} decides. Thread safe. */
final class Unleasing {
    private volatile Rules rules;
    private final Report report;
    /** Why nothing may pass to a target under no lease; null if something may. */
    private final Function<TargetRule, String> inactiveLocks;

    Unleasing(Rules rules, Report report, Function<TargetRule, String> inactiveLocks) {
        this.rules = rules;
        this.report = report;
        this.inactiveLocks = inactiveLocks;
    }

    /** Other rules from now on. */
    void change(Rules next) {
        rules = next;
    }

    /**
     * Lets an effect through, or refuses it.
     *
     * @param effect one word, such as {@code call}
     * @param outlived the lease that its work had, and which was given back; null if there is none
     * @return what is to be reported of it; null if nothing is
     */
    Runnable admit(TargetRule target, String effect, FencedLease outlived) throws RefusedException {
        String inactive = inactiveLocks.apply(target);
        if (inactive != null) {
            Refused refused = Refused.unleased(Reason.INACTIVE, target.name())
                    .of(effect, target.name())
                    .because(inactive);
            if (Seams.blindUntil() == 0) {
                throw new RefusedException(refused);
            }
            return inShadow(refused);
        }
        AfterRelease late = outlived == null ? AfterRelease.ALLOW : target.afterRelease();
        if (late == AfterRelease.REJECT) {
            Refused refused = Refused.under(Reason.RELEASED, outlived).of(effect, target.name());
            if (outlived.enforced()) {
                throw new RefusedException(refused);
            }
            if (target.unleased() != Unleased.REJECT) {
                return inShadow(refused);
            }
        }
        if (target.unleased() == Unleased.REJECT) {
            Refused refused = Refused.unleased(target.name()).of(effect, target.name());
            // Where leases may have begun unseen, the thread may hold a lock from before.
            if (rules.mode() == Mode.ENFORCE && Seams.blindUntil() == 0) {
                throw new RefusedException(refused);
            }
            return inShadow(refused);
        }
        if (late == AfterRelease.REPORT) {
            return () -> report.late(effect, outlived, target.name());
        }
        return target.unleased() == Unleased.ALLOW ? null : () -> report.unleased(effect, target.name());
    }

    private Runnable inShadow(Refused refused) {
        return () -> report.refusal(refused.inShadow());
    }
}
