/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.report.Refused;
import java.util.List;

/**
 * What a lease has of one database's fence.
 *
 * @param state how far the claim is
 * @param durable whether no crash of the database can lose it
 * @param in the transaction that it was made in, and counts with; null for a claim on a connection of our own
 * @param over the ids of the leases that it took the fence from, where it was made in a transaction; else empty
 * @param failure why there is none; null where there is one
 */
record Claim(State state, boolean durable, Transaction in, List<String> over, Refused failure) {
    enum State {
        /** The fence was advanced to the lease, and committed. */
        HELD,
        /** Made in a transaction of the service, which is still open. */
        IN_TRANSACTION,
        /**
         * Made in a transaction that was rolled back, in part or whole, or whose end is not known. The lease has read under it, so that it may be made
         * again only over the very lease that it took the fence from: somebody may have come and gone in between (spec/undone.pml).
         */
        UNDONE,
        /** The database is in recovery: it takes no claims, and no writes. */
        STANDBY,
        /** It could not be claimed when the lease sent its first statement elsewhere: a later claim could not vouch for what was read since. */
        FAILED,
        /** Shadow mode: the refusal was reported, and the service goes on without a fence here. */
        FORGONE
    }

    static Claim held(boolean durable) {
        return new Claim(State.HELD, durable, null, List.of(), null);
    }

    static Claim inTransaction(Transaction transaction, List<String> over) {
        return new Claim(State.IN_TRANSACTION, true, transaction, List.copyOf(over), null);
    }

    Claim undone() {
        return new Claim(State.UNDONE, false, null, over, null);
    }

    static Claim standby() {
        return new Claim(State.STANDBY, true, null, List.of(), null);
    }

    static Claim failed(Refused failure) {
        return new Claim(State.FAILED, false, null, List.of(), failure);
    }

    static Claim forgone() {
        return new Claim(State.FORGONE, true, null, List.of(), null);
    }

    /** Whether a guard has something to look for. */
    boolean guardable() {
        return state == State.HELD || state == State.IN_TRANSACTION;
    }
}
