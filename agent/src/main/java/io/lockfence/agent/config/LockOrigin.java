/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Where the locks of a rule come from: a library that Lockfence knows, methods that the rule names, or callers. */
public sealed interface LockOrigin permits LibraryLocks, MethodLocks, CallerLocks {
    /** As integrations name it in the locks that they report. */
    String library();

    /** Whether a lock that an integration reports under {@link #library()} is one of these. */
    boolean matches(String lockName);

    /** Whose work its leases cover. */
    default LeaseScope scope() {
        return LeaseScope.THREAD;
    }

    /** The name of the lock's resource; null if it is none of these. */
    String resource(String lockName);
}
