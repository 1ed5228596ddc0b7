/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.HeldLock;

/** A key that a call of this JVM's has acquired with a session. */
final class ConsulHold extends HeldLock {
    private final Put acquisition;
    private final KeyCoordinator coordinator;
    private final LeaseContext context;
    private volatile int renewals;

    /** @param context of the thread that has the lease; null for none, or for all */
    ConsulHold(
            Put acquisition, KeyCoordinator coordinator, Lease lease, LeaseContext context, boolean asks, Proof proof) {
        super(coordinator.owner(), lease, coordinator, asks, proof);
        this.acquisition = acquisition;
        this.coordinator = coordinator;
        this.context = context;
        this.renewals = Sessions.renewals(acquisition.acquires());
    }

    String key() {
        return acquisition.key();
    }

    String session() {
        return acquisition.acquires();
    }

    Connection connection() {
        return acquisition.connection();
    }

    LeaseContext context() {
        return context;
    }

    /** What the acquisition was found to be; null if that could not be asked. */
    Sight first() {
        return coordinator.first();
    }

    /** Whether its session was renewed since the answer before; each answer lets it be believed in for longer. */
    @Override
    protected boolean prolonged(Proof answer) {
        int now = Sessions.renewals(session());
        boolean more = now != renewals;
        renewals = now;
        return more;
    }
}
