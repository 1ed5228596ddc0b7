/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The transactions; what each does right or wrong with its lock is in its name. */
@Service
public class Stock {
    private final Items items;
    private final RedissonClient redisson;

    Stock(Items items, RedissonClient redisson) {
        this.items = items;
        this.redisson = redisson;
    }

    RLock lock(int item) {
        return redisson.getLock("stock:" + item);
    }

    /** Under a lock that the caller took before this transaction, and gives up after it. */
    @Transactional
    public long increment(int id, long workMillis) {
        Item item = items.findById(id).orElseThrow();
        pause("read " + item.value(), workMillis);
        item.increment();
        return item.value();
    }

    /** The common mistake: the lock is given up in a finally block, and the transaction commits only after that. */
    @Transactional
    public long unlockBeforeCommit(int id, long workMillis) {
        RLock lock = lock(id);
        lock.lock();
        try {
            return increment(id, workMillis);
        } finally {
            lock.unlock();
        }
    }

    /** A transaction of its own, in the middle of another one of the same thread. */
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public long incrementInNew(int id) {
        return increment(id, 0);
    }

    /** A run-once marker: nobody unlocks it. */
    boolean marker(int id, long leaseMillis) throws InterruptedException {
        return redisson.getLock("marker:" + id).tryLock(0, leaseMillis, TimeUnit.MILLISECONDS);
    }

    @Transactional(readOnly = true)
    public long value(int id) {
        return items.findById(id).orElseThrow().value();
    }

    static void pause(String where, long millis) {
        System.out.println(where);
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
