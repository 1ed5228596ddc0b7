/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The counts: table {@code stock(id int primary key, value bigint)}. */
final class Stock {
    private final RedissonClient redisson;
    private final DataSource database;

    Stock(RedissonClient redisson, DataSource database) {
        this.redisson = redisson;
        this.database = database;
    }

    /**
     * Adds one to an item under its lock: read, compute, write, in a transaction.
     *
     * @param work how long computing the new value takes
     */
    void increment(String lockName, int item, Duration work) throws SQLException, InterruptedException {
        String me = Thread.currentThread().getName();
        RLock lock = redisson.getLock(lockName);
        lock.lock();
        try (Connection connection = database.getConnection()) {
            Say.line(me, "locked " + lockName);
            connection.setAutoCommit(false);
            long value = read(connection, item);
            Say.line(me, "read " + value);
            Thread.sleep(work.toMillis());
            write(connection, item, value + 1);
            Say.line(me, "wrote " + (value + 1));
            connection.commit();
            Say.line(me, "committed " + (value + 1));
        } finally {
            unlock(lock);
        }
    }

    /** Redisson says by an exception that the lock was no longer ours; a service logs that, and goes on. */
    static void unlock(RLock lock) {
        String me = Thread.currentThread().getName();
        try {
            lock.unlock();
            Say.line(me, "unlocked " + lock.getName());
        } catch (RuntimeException e) {
            Say.line(me, Say.failure("unlock", e));
        }
    }

    static long read(Connection connection, int item) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT value FROM stock WHERE id = ?")) {
            select.setInt(1, item);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("no item " + item);
                }
                return row.getLong(1);
            }
        }
    }

    static void write(Connection connection, int item, long value) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET value = ? WHERE id = ?")) {
            update.setLong(1, value);
            update.setInt(2, item);
            update.executeUpdate();
        }
    }
}
