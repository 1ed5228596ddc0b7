/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.ReceiveRule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The leases of callers, so that the requests under one of them claim once. Bounded: what is forgotten is claimed again, which changes nothing. Thread safe.
 */
final class CallerLeases {
    private static final int MOST = 10_000;

    /** All that comes with a request, and the rule that it came under. */
    record Key(ReceiveRule rule, String resource, String lock, long token, int generation, String leaseId) {}

    private final Map<Key, FencedLease> leases = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, FencedLease> eldest) {
            return size() > MOST;
        }
    };

    synchronized FencedLease get(Key key, Supplier<FencedLease> fresh) {
        FencedLease known = leases.get(key);
        if (known == null) {
            known = fresh.get();
            leases.put(key, known);
        }
        return known;
    }

    synchronized Map<Key, FencedLease> all() {
        return Map.copyOf(leases);
    }

    synchronized void clear() {
        leases.clear();
    }
}
