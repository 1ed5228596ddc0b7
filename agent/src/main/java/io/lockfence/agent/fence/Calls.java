/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls of methods that rules fence. There is no fence at what they write to, so nothing is claimed or guarded: a call is refused before it runs if its
 * lease is dead by then (DESIGN P5), and that is all. Thread safe.
 */
final class Calls {
    /** The outermost call on a thread that was reported without being refused; calls within it are checked and not reported again. */
    private static final ThreadLocal<Told> TOLD = new ThreadLocal<>();

    private static final class Told {
        final String target;
        final Told outer;

        Told(String target, Told outer) {
            this.target = target;
            this.outer = outer;
        }
    }

    private final Report report;
    private final Unleasing unleasing;
    private final Outlived outlived;
    private final Map<String, TargetRule> targets = new HashMap<>();
    /** Targets of which a method was not woven, and why. */
    private final Map<String, String> notWoven = new ConcurrentHashMap<>();

    Calls(Rules rules, Report report, Unleasing unleasing, Outlived outlived) {
        this.report = report;
        this.unleasing = unleasing;
        this.outlived = outlived;
        for (TargetRule target : rules.targets()) {
            if (target.destination() instanceof MethodDestination) {
                targets.put(target.name(), target);
            }
        }
    }

    /** Why other rules cannot be applied: calls know the targets of the beginning. */
    List<String> hindrances(Rules next) {
        List<TargetRule> nextTargets = next.targets().stream()
                .filter(target -> target.destination() instanceof MethodDestination)
                .toList();
        boolean same = nextTargets.size() == targets.size()
                && nextTargets.stream().allMatch(target -> target.equals(targets.get(target.name())));
        return same ? List.of() : List.of("targets by method are not as they were");
    }

    /** A method of the target was not woven: its calls are not seen, so no lease may be relied on to stop them. */
    void notWoven(String target, String why) {
        notWoven.put(target, why);
    }

    /** Lets a call through, or throws; returns whether {@link #called} must follow. */
    boolean calling(String name) {
        TargetRule target = targets.get(name);
        try {
            return admit(target);
        } catch (RefusedException e) {
            report.refusal(e.refused());
            Admissions.note(e.refused());
            throw e.refused().exception();
        } catch (Throwable t) {
            failedOn(target, t);
            return false;
        }
    }

    void called() {
        Told told = TOLD.get();
        if (told == null || told.outer == null) {
            TOLD.remove();
        } else {
            TOLD.set(told.outer);
        }
    }

    private boolean admit(TargetRule target) throws RefusedException {
        boolean leased = false;
        FencedLease released = null;
        Refused onlyReported = null;
        for (Lease lease : LeaseContext.current()) {
            if (lease instanceof FencedLease fenced && fenced.protects(target)) {
                if (lease.released()) {
                    released = fenced;
                    continue;
                }
                leased = true;
                Refused refused = refusedUnder(fenced, target);
                if (refused != null && fenced.enforced()) {
                    throw new RefusedException(refused);
                }
                onlyReported = onlyReported == null ? refused : onlyReported;
            }
        }
        if (leased) {
            return onlyReported != null && tell(target, onlyReported);
        }
        return admitUnleased(target, released != null ? released : outlived.of(target));
    }

    /** Null if the lease lets the call through. */
    private Refused refusedUnder(FencedLease lease, TargetRule target) {
        if (lease.death() != null) {
            return lease.refusedDead().of("call", target.name());
        }
        Refused unverified = Verification.refused(lease);
        if (unverified != null) {
            return unverified.of("call", target.name());
        }
        String why = notWoven.isEmpty() ? null : notWoven.get(target.name());
        return why == null
                ? null
                : Refused.under(Reason.NOT_WOVEN, lease)
                        .of("call", target.name())
                        .because(why);
    }

    private boolean admitUnleased(TargetRule target, FencedLease before) throws RefusedException {
        Runnable told = unleasing.admit(target, "call", before);
        if (told == null || !begins(target)) {
            return false;
        }
        told.run();
        return true;
    }

    /** Reports what would be refused, once for an outermost call; returns whether it was. */
    private boolean tell(TargetRule target, Refused refused) {
        boolean first = begins(target);
        if (first) {
            report.refusal(refused.inShadow());
        }
        return first;
    }

    /** Notes that a call is reported; false if one that this is within was. */
    private static boolean begins(TargetRule target) {
        Told outer = TOLD.get();
        for (Told told = outer; told != null; told = told.outer) {
            if (told.target.equals(target.name())) {
                return false;
            }
        }
        TOLD.set(new Told(target.name(), outer));
        return true;
    }

    /** A fault of ours: the leases of the thread are poisoned, and the call is refused under them; where there is none, the service goes on. */
    private void failedOn(TargetRule target, Throwable fault) throws FencedException {
        Seams.fault(fault);
        for (Lease lease : LeaseContext.current()) {
            if (lease instanceof FencedLease fenced && fenced.enforced() && fenced.protects(target)) {
                Refused refused = Refused.under(Reason.BOOKS, lease)
                        .of("call", target.name())
                        .because(String.valueOf(fault))
                        .causedBy(fault);
                report.refusal(refused);
                throw refused.exception();
            }
        }
    }
}
