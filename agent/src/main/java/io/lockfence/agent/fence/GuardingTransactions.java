/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The open transactions that hold fences: after a guard at release, or a claim of their own. Few, and short-lived. Thread safe. */
final class GuardingTransactions {
    private final Set<Transaction> guarding = ConcurrentHashMap.newKeySet();

    void add(Transaction transaction) {
        guarding.add(transaction);
    }

    void remove(Transaction transaction) {
        guarding.remove(transaction);
    }

    /**
     * Another open transaction of the current thread that a claim of this resource would wait for: whoever waits for it waits for ever
     * (REQUIRES_NEW).
     *
     * @param except the transaction that asks
     * @return null if there is none
     */
    Transaction thatBlocksClaim(String resource, Database database, Transaction except) {
        return ofThisThread(database, except, transaction -> transaction.holdsFenceOf(resource));
    }

    /** The same for a guard, which waits for claims alone. */
    Transaction thatBlocksGuard(String resource, Database database, Transaction except) {
        return ofThisThread(database, except, transaction -> transaction.claimsInside(resource));
    }

    private Transaction ofThisThread(Database database, Transaction except, Predicate<Transaction> blocks) {
        for (Transaction transaction : guarding) {
            if (transaction != except
                    && transaction.thread() == Thread.currentThread()
                    && transaction.database() == database
                    && blocks.test(transaction)) {
                return transaction;
            }
        }
        return null;
    }
}
