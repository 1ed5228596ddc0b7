/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.time.Duration;

/** Locks by {@link JedisLock}. */
final class JedisClient implements LockClient {
    private final JedisLock lock;

    JedisClient(JedisLock lock) {
        this.lock = lock;
    }

    @Override
    public boolean acquire(String name, Duration lease) {
        return lock.tryLock(name, lease.toMillis());
    }

    @Override
    public boolean extend(String name, Duration lease) {
        return lock.extend(name, lease.toMillis());
    }

    @Override
    public void release(String name) {
        lock.unlock(name);
    }
}
