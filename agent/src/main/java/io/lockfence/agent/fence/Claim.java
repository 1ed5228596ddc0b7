/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

/**
 * What a lease has of one database's fence.
 *
 * @param state how far the claim is
 * @param durable whether no crash of the database can lose it
 * @param in the transaction that it was made in, and counts with; null for a claim on a connection of our own
 */
record Claim(State state, boolean durable, Transaction in) {
    enum State {
        /** The fence was advanced to the lease, and committed. */
        HELD,
        /** Made in a transaction of the service, which is still open. */
        IN_TRANSACTION,
        /** The database is in recovery: it takes no claims, and no writes. */
        STANDBY,
        /** Shadow mode: the refusal was reported, and the service goes on without a fence here. */
        FORGONE
    }

    static Claim held(boolean durable) {
        return new Claim(State.HELD, durable, null);
    }

    static Claim inTransaction(Transaction transaction) {
        return new Claim(State.IN_TRANSACTION, true, transaction);
    }

    static Claim standby() {
        return new Claim(State.STANDBY, true, null);
    }

    static Claim forgone() {
        return new Claim(State.FORGONE, true, null);
    }
}
