/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

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

    private volatile Rules rules;
    private final Report report;
    /** Why nothing may pass to a target under no lease; null if something may. */
    private final Function<TargetRule, String> inactiveLocks;

    private final Map<String, TargetRule> targets = new HashMap<>();
    /** The targets whose calls matter after the release as well: by their place here a unit of work keeps what it has released. */
    private final List<TargetRule> afterRelease = new ArrayList<>();

    private final Map<String, Integer> places = new HashMap<>();
    /** By target: what the process has released last of the leases that covered all of it. */
    private final Map<String, FencedLease> ofProcess = new ConcurrentHashMap<>();
    /** Targets of which a method was not woven, and why. */
    private final Map<String, String> notWoven = new ConcurrentHashMap<>();

    Calls(Rules rules, Report report, Function<TargetRule, String> inactiveLocks) {
        this.rules = rules;
        this.report = report;
        this.inactiveLocks = inactiveLocks;
        for (TargetRule target : rules.targets()) {
            if (target.destination() instanceof MethodDestination methods) {
                targets.put(target.name(), target);
                if (methods.afterRelease() != AfterRelease.ALLOW) {
                    places.put(target.name(), afterRelease.size());
                    afterRelease.add(target);
                }
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

    /** Other rules from now on; there are no {@link #hindrances}. */
    void change(Rules next) {
        rules = next;
    }

    /** A method of the target was not woven: its calls are not seen, so no lease may be relied on to stop them. */
    void notWoven(String target, String why) {
        notWoven.put(target, why);
    }

    /** The lease was given back: from now on, and until their ends, its units of work outlive it; those of a lease of the process until it ends. */
    void released(FencedLease lease) {
        for (int i = 0; i < afterRelease.size(); i++) {
            TargetRule target = afterRelease.get(i);
            if (lease.protects(target)) {
                if (lease.ofProcess() && ofProcess.put(target.name(), lease) == null) {
                    LeaseContext.activate();
                }
                for (LeaseContext context : lease.contexts()) {
                    keep(context, i, lease);
                }
            }
        }
    }

    /** The latest of each target: bounded by the targets, however many locks the unit takes. */
    private void keep(LeaseContext context, int index, FencedLease lease) {
        synchronized (context) {
            FencedLease[] released = context.kept() instanceof FencedLease[] before
                    ? before.clone()
                    : new FencedLease[afterRelease.size()];
            released[index] = lease;
            context.keep(released);
        }
    }

    /** A lease that this unit of work, or the process, has outlived; null if there is none, or if that does not matter. */
    private FencedLease outlived(TargetRule target) {
        Integer place = places.get(target.name());
        if (place == null) {
            return null;
        }
        FencedLease own = LeaseContext.currentlyKept() instanceof FencedLease[] released ? released[place] : null;
        return own != null || ofProcess.isEmpty() ? own : ofProcess.get(target.name());
    }

    /** Lets a call through, or throws; returns whether {@link #called} must follow. */
    boolean calling(String name) {
        TargetRule target = targets.get(name);
        try {
            return admit(target);
        } catch (RefusedException e) {
            report.refusal(e.refused());
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
        return admitUnleased(target, released != null ? released : outlived(target));
    }

    /** Null if the lease lets the call through. */
    private Refused refusedUnder(FencedLease lease, TargetRule target) {
        if (lease.death() != null) {
            return lease.refusedDead().of("call", target.name());
        }
        String why = notWoven.isEmpty() ? null : notWoven.get(target.name());
        return why == null
                ? null
                : Refused.under(Reason.NOT_WOVEN, lease)
                        .of("call", target.name())
                        .because(why);
    }

    /**
     * Of the two rules on calls under no lease the stricter one decides.
     *
     * @param outlived the lease that the call's work had, and which was given back; null if there is none
     */
    private boolean admitUnleased(TargetRule target, FencedLease outlived) throws RefusedException {
        String inactive = inactiveLocks.apply(target);
        if (inactive != null) {
            Refused refused = Refused.unleased(Reason.INACTIVE, target.name())
                    .of("call", target.name())
                    .because(inactive);
            if (Seams.blindUntil() == 0) {
                throw new RefusedException(refused);
            }
            return tell(target, refused);
        }
        AfterRelease late =
                outlived == null ? AfterRelease.ALLOW : ((MethodDestination) target.destination()).afterRelease();
        if (late == AfterRelease.REJECT) {
            Refused refused = Refused.under(Reason.RELEASED, outlived).of("call", target.name());
            if (outlived.enforced()) {
                throw new RefusedException(refused);
            }
            if (target.unleased() != Unleased.REJECT) {
                return tell(target, refused);
            }
        }
        if (target.unleased() == Unleased.REJECT) {
            Refused refused = Refused.unleased(target.name()).of("call", target.name());
            // Where leases may have begun unseen, the thread may hold a lock from before.
            if (rules.mode() == Mode.ENFORCE && Seams.blindUntil() == 0) {
                throw new RefusedException(refused);
            }
            return tell(target, refused);
        }
        if (late == AfterRelease.ALLOW && target.unleased() == Unleased.ALLOW || !begins(target)) {
            return false;
        }
        if (late == AfterRelease.REPORT) {
            report.lateCall(outlived, target.name());
        } else {
            report.unleasedCall(target.name());
        }
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
