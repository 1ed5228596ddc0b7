/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/**
 * What the change from some rules to others does to locks that live meanwhile. Which lock is which resource cannot change while instances of the service run: two mappings are two
 * fences, and each instance changes at a moment of its own. So what could give a lock another resource is refused, where anything was claimed under the rules
 * of before.
 */
public final class RulesChange {
    private RulesChange() {}

    /** Why the change cannot be made in a running JVM; empty if it can. */
    public static List<String> hindrances(Rules before, Rules after) {
        List<String> hindrances = new ArrayList<>();
        for (LockRule old : before.locks()) {
            if (old.mode().compareTo(Mode.SHADOW) < 0) {
                // Nothing was claimed under it.
                continue;
            }
            LockRule same = named(after, old.name());
            if (same != null && !sameLocks(old, same)) {
                hindrances.add(
                        "lock '" + old.name()
                                + "' has other locks or resources: all instances must be stopped, or in mode observe, before and after");
            } else if (same != null && same.generation() < old.generation()) {
                hindrances.add("lock '" + old.name() + "' has a lower generation: it can only be raised");
            }
            for (LockRule other : after.locks()) {
                if (other != same && takes(other, old, before, after)) {
                    hindrances.add(
                            "lock '" + other.name() + "' may take names from lock '" + old.name()
                                    + "', which would give them another resource: all instances must be stopped, or in mode observe, before and after");
                }
            }
        }
        return hindrances;
    }

    /** Whether locks are watched afterwards that were not watched before: they may be held now. */
    public static boolean watchesMore(Rules before, Rules after) {
        for (LockRule rule : after.locks()) {
            if (rule.mode() == Mode.OFF) {
                continue;
            }
            boolean watched = before.locks().stream().anyMatch(old -> old.mode() != Mode.OFF && sameLocks(old, rule));
            if (!watched) {
                return true;
            }
        }
        return false;
    }

    /** Whether another rule may now be that of a name that was the old rule's. */
    private static boolean takes(LockRule other, LockRule old, Rules before, Rules after) {
        if (!(other.origin() instanceof LibraryLocks taking)
                || !(old.origin() instanceof LibraryLocks taken)
                || !taking.library().equals(taken.library())
                || !taking.key().mayMeet(taken.key())) {
            return false;
        }
        LockRule was = named(before, other.name());
        if (was != null && sameLocks(was, other)) {
            // It was there: nothing changes if the order is the same, and the old one has not gone.
            boolean wasFirst = before.locks().indexOf(was) < before.locks().indexOf(old);
            LockRule stays = named(after, old.name());
            return !wasFirst
                    && (stays == null
                            || after.locks().indexOf(other) < after.locks().indexOf(stays));
        }
        LockRule stays = named(after, old.name());
        boolean last =
                stays != null && after.locks().indexOf(stays) < after.locks().indexOf(other);
        return !last && !(stays == null && sameLocks(other, old));
    }

    private static boolean sameLocks(LockRule one, LockRule other) {
        if (one.origin() instanceof LibraryLocks some && other.origin() instanceof LibraryLocks others) {
            return some.library().equals(others.library())
                    && some.key().toString().equals(others.key().toString())
                    && some.resource().toString().equals(others.resource().toString());
        }
        return one.origin().equals(other.origin());
    }

    private static LockRule named(Rules rules, String name) {
        for (LockRule rule : rules.locks()) {
            if (rule.name().equals(name)) {
                return rule;
            }
        }
        return null;
    }
}
