/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What units of work have given back and gone on without, for the targets whose rules look at that: calls and requests, where no guard tells whether
 * it matters. Thread safe.
 */
final class Outlived {
    private volatile List<TargetRule> watched = List.of();
    /** By target: what the process has released last of the leases that covered all of it. */
    private final Map<String, FencedLease> ofProcess = new ConcurrentHashMap<>();

    Outlived(Rules rules) {
        change(rules);
    }

    /** Other rules from now on. */
    void change(Rules rules) {
        List<TargetRule> next = new ArrayList<>();
        for (TargetRule target : rules.targets()) {
            if (!target.isDatabase() && target.afterRelease() != AfterRelease.ALLOW) {
                next.add(target);
            }
        }
        watched = next;
    }

    /** The lease was given back: from now on, and until their ends, its units of work outlive it; those of a lease of the process until it ends. */
    void released(FencedLease lease) {
        for (TargetRule target : watched) {
            if (lease.protects(target)) {
                if (lease.ofProcess() && ofProcess.put(target.name(), lease) == null) {
                    LeaseContext.activate();
                }
                for (LeaseContext context : lease.contexts()) {
                    keep(context, target, lease);
                }
            }
        }
    }

    /** The latest of each target: bounded by the targets, however many locks the unit takes. */
    private static void keep(LeaseContext context, TargetRule target, FencedLease lease) {
        synchronized (context) {
            Map<String, FencedLease> released = new HashMap<>();
            if (context.kept() instanceof Map<?, ?> before) {
                before.forEach((name, earlier) -> released.put((String) name, (FencedLease) earlier));
            }
            released.put(target.name(), lease);
            context.keep(released);
        }
    }

    /** Work that has outlived leases, as requests carry it from the thread that makes them to those that send them. */
    static final class Work extends Lease {
        private final Map<String, FencedLease> released;

        private Work(Map<String, FencedLease> released) {
            super("none", "none", "none", "none", 0, 0, new Deadline(System.nanoTime(), Long.MAX_VALUE));
            this.released = released;
        }

        FencedLease of(TargetRule target) {
            return target.afterRelease() == AfterRelease.ALLOW ? null : released.get(target.name());
        }
    }

    /** The work of the current thread. */
    Work here() {
        Map<String, FencedLease> released = new HashMap<>(ofProcess);
        if (LeaseContext.currentlyKept() instanceof Map<?, ?> own) {
            own.forEach((name, lease) -> released.put((String) name, (FencedLease) lease));
        }
        return new Work(released);
    }

    /** Whether {@link #of} could find anything on the current thread. */
    boolean any() {
        return LeaseContext.currentlyKept() != null || !ofProcess.isEmpty();
    }

    /** A lease that this unit of work, or the process, has outlived; null if there is none, or if that does not matter. */
    FencedLease of(TargetRule target) {
        if (target.afterRelease() == AfterRelease.ALLOW) {
            return null;
        }
        Object own = LeaseContext.currentlyKept() instanceof Map<?, ?> released ? released.get(target.name()) : null;
        return own != null || ofProcess.isEmpty() ? (FencedLease) own : ofProcess.get(target.name());
    }
}
