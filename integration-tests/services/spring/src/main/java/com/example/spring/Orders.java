/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import org.redisson.api.RLock;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Transactions within transactions. */
@Service
public class Orders {
    private final Stock stock;

    Orders(Stock stock) {
        this.stock = stock;
    }

    /** REQUIRES_NEW on another item, under the outer transaction's lock. */
    @Transactional
    public long incrementBoth(int outer, int inner) {
        long value = stock.increment(outer, 0);
        stock.incrementInNew(inner);
        return value;
    }

    /** Gives up the lock in mid-transaction, takes it again, and writes in a new transaction while the outer one is still open. */
    @Transactional
    public long relockInNew(int id, int other) {
        RLock lock = stock.lock(id);
        lock.lock();
        try {
            stock.increment(id, 0);
        } finally {
            lock.unlock();
        }
        lock.lock();
        try {
            return stock.incrementInNew(other);
        } finally {
            lock.unlock();
        }
    }
}
