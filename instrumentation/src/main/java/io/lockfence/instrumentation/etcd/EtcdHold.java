/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.HeldLock;
import java.util.concurrent.TimeUnit;

/** A key that a call of this JVM's was told to own. */
final class EtcdHold extends HeldLock {
    /** Answers are in whole seconds, rounded down, and on their way for a while: what grows by less has not been prolonged. */
    private static final long ROUNDED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private final String lock;
    private final long leaseId;
    private final LeaseContext context;
    private final long firstEnd;

    /**
     * @param leaseId of etcd's lease
     * @param context of the thread that has the lease; null for none, or for all
     */
    EtcdHold(Acquiring.Told told, String lock, long leaseId, LeaseContext context, boolean asks) {
        super(told.owner(), told.coordinator(), asks, told.proofOrNone());
        this.lock = lock;
        this.leaseId = leaseId;
        this.context = context;
        this.firstEnd = told.proofOrNone().sentAt() + told.proofOrNone().timeLeftNanos();
    }

    String lock() {
        return lock;
    }

    long leaseId() {
        return leaseId;
    }

    LeaseContext context() {
        return context;
    }

    /** Of a lease that nothing keeps alive, each answer has less. */
    @Override
    protected boolean prolonged(Proof answer) {
        return Grants.isKeptAlive(leaseId) || answer.sentAt() + answer.timeLeftNanos() - firstEnd > ROUNDED_NANOS;
    }
}
