/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

/** A way of using a lock that is likely to be a mistake. */
public enum Shape {
    UNLOCK_BEFORE_COMMIT(
            "unlock before commit",
            "the next holder may read what this transaction has not yet committed; take the lock outside of the transaction"),
    LOCK_IN_TRANSACTION(
            "lock inside an open transaction",
            "what the transaction read before it had the lock may be stale; take the lock outside of the transaction"),
    RESULT_IGNORED("result of an attempt ignored", "the code goes on without the lock when the attempt fails"),
    SHORT_LEASE("lease shorter than a timeout", "the lease may end while the work under it goes on"),
    THIRD_PARTY_WRITE(
            "write to a third party under a lock",
            "no fence of a database stops it when the lease has ended; the receiver must check the fencing token, or the call be harmless when repeated");

    private final String title;
    private final String consequence;

    Shape(String title, String consequence) {
        this.title = title;
        this.consequence = consequence;
    }

    String title() {
        return title;
    }

    /** What it may lead to, and what to do. */
    String consequence() {
        return consequence;
    }
}
