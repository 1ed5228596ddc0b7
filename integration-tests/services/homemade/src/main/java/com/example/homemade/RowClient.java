/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.sql.SQLException;
import java.time.Duration;

/** Locks by {@link RowLock}. */
final class RowClient implements LockClient {
    private final RowLock lock;

    RowClient(RowLock lock) {
        this.lock = lock;
    }

    @Override
    public boolean acquire(String name, Duration lease) throws SQLException {
        return lock.acquire(name, lease) != null;
    }

    @Override
    public boolean extend(String name, Duration lease) throws SQLException {
        return lock.extend(name, lease);
    }

    @Override
    public void release(String name) throws SQLException {
        lock.release(name);
    }
}
