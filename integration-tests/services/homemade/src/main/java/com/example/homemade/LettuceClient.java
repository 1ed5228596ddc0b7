/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.time.Duration;

/** Locks by {@link LettuceLock}. */
final class LettuceClient implements LockClient {
    private final LettuceLock lock;

    LettuceClient(LettuceLock lock) {
        this.lock = lock;
    }

    @Override
    public boolean acquire(String name, Duration lease) {
        return lock.tryAcquire(name, lease);
    }

    @Override
    public boolean extend(String name, Duration lease) {
        return lock.extend(name, lease);
    }

    @Override
    public void release(String name) {
        lock.release(name);
    }
}
