/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

/** Under which leases streaming results were opened. */
final class Portals {
    private static final Lease[] NONE = {};
    /** By portal; weak by identity, bounded by the results that the service holds. A portal that is not in it was opened under none. */
    private static final Beside<Object, Lease[]> OPENED_UNDER = new Beside<>();

    private Portals() {}

    static void opened(Object portal) {
        Lease[] leases = LeaseContext.current();
        if (leases.length > 0) {
            OPENED_UNDER.put(portal, leases);
        }
    }

    static void fetching(Object executor, Object portal) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session == null || session.ours) {
            return;
        }
        Lease[] leases = OPENED_UNDER.get(portal);
        try {
            Seams.effects().fetching(session, leases == null ? NONE : leases);
        } catch (Throwable t) {
            Faults.passOrRefuse(session, t);
        }
    }
}
