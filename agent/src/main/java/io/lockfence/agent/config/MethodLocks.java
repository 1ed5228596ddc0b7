/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;
import java.util.Objects;

/**
 * Locks that methods of the service take and give back. The lock's name, as reports have it, is that of its resource.
 *
 * @param rule the name of the rule
 * @param acquire the methods that take the lock; at least one
 * @param when how it is told that they have
 * @param resource how their calls name the resource
 * @param lease how long the lock is granted for; null if that is not known, which only locks with a token of their own may say
 * @param token where their calls find a fencing token; null if the claim issues it
 * @param renew the methods that prolong it
 * @param release the methods that give it back; empty if nothing but its time ends it
 * @param scope whose work its leases cover
 */
public record MethodLocks(
        String rule,
        List<MethodName> acquire,
        HeldWhen when,
        MethodResource resource,
        LeaseTime lease,
        ValuePath token,
        List<MethodName> renew,
        List<MethodName> release,
        LeaseScope scope)
        implements LockOrigin {
    public MethodLocks {
        Objects.requireNonNull(rule);
        Objects.requireNonNull(when);
        Objects.requireNonNull(resource);
        Objects.requireNonNull(scope);
        acquire = List.copyOf(acquire);
        renew = List.copyOf(renew);
        release = List.copyOf(release);
    }

    /** One for each rule: calls know which rule they belong to, and two rules may well name their resources alike. */
    @Override
    public String library() {
        return "method rule " + rule;
    }

    @Override
    public boolean matches(String lockName) {
        return true;
    }

    @Override
    public String resource(String lockName) {
        return lockName;
    }
}
