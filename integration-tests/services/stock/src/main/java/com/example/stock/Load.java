/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Many threads that increment items under their locks, in each of the ways that services do it. */
final class Load {
    private final RedissonClient redisson;
    private final DataSource database;
    private final int locks;
    private final long seed;
    private final LongAdder increments = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentSkipListMap<>();

    Load(RedissonClient redisson, DataSource database, int locks, long seed) {
        this.redisson = redisson;
        this.database = database;
        this.locks = locks;
        this.seed = seed;
    }

    void run(int threads, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Random random = new Random(seed + i);
            Thread thread = new Thread(() -> loop(random, end), "load-" + i);
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }
        Say.line(
                Thread.currentThread().getName(),
                "load increments=" + increments.sum() + " failures="
                        + failures.values().stream().mapToLong(LongAdder::sum).sum() + " by-state=" + failures);
    }

    private void loop(Random random, long end) {
        while (System.nanoTime() - end < 0) {
            int item = 1 + random.nextInt(locks);
            try {
                increments.add(locked(random, item));
            } catch (SQLException | RuntimeException e) {
                failures.computeIfAbsent(Say.sqlState(e), s -> new LongAdder()).increment();
                Say.line(Thread.currentThread().getName(), Say.failure("increment of " + item, e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private int locked(Random random, int item) throws SQLException, InterruptedException {
        RLock lock = redisson.getLock("stock:" + item);
        switch (random.nextInt(3)) {
            case 0 -> lock.lock();
            case 1 -> lock.lock(20, TimeUnit.SECONDS);
            default -> {
                if (!lock.tryLock(30, TimeUnit.SECONDS)) {
                    return 0;
                }
            }
        }
        try {
            if (random.nextInt(8) == 0) {
                lock.lock();
                lock.unlock();
            }
            return work(random, item);
        } finally {
            lock.unlock();
        }
    }

    /** @return how many increments it committed */
    private int work(Random random, int item) throws SQLException {
        try (Connection connection = database.getConnection()) {
            switch (random.nextInt(10)) {
                case 0 -> {
                    // Each statement commits by itself.
                    Stock.write(connection, item, Stock.read(connection, item) + 1);
                    return 1;
                }
                case 1 -> {
                    // Two transactions under one lock.
                    transaction(connection, item);
                    transaction(connection, item);
                    return 2;
                }
                case 2 -> {
                    connection.setAutoCommit(false);
                    Stock.write(connection, item, Stock.read(connection, item) + 1);
                    connection.rollback();
                    return 0;
                }
                case 3 -> {
                    savepoint(connection, item);
                    return 1;
                }
                case 4 -> {
                    connection.setAutoCommit(false);
                    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    Stock.write(connection, item, Stock.read(connection, item) + 1);
                    connection.commit();
                    return 1;
                }
                case 5 -> {
                    batch(connection, item);
                    return 1;
                }
                case 6 -> {
                    connection.setReadOnly(true);
                    connection.setAutoCommit(false);
                    Stock.read(connection, item);
                    connection.commit();
                    return 0;
                }
                default -> {
                    transaction(connection, item);
                    return 1;
                }
            }
        }
    }

    private static void transaction(Connection connection, int item) throws SQLException {
        connection.setAutoCommit(false);
        Stock.write(connection, item, Stock.read(connection, item) + 1);
        connection.commit();
    }

    private static void savepoint(Connection connection, int item) throws SQLException {
        connection.setAutoCommit(false);
        long value = Stock.read(connection, item);
        Savepoint savepoint = connection.setSavepoint();
        Stock.write(connection, item, value + 1000);
        connection.rollback(savepoint);
        Stock.write(connection, item, value + 1);
        connection.commit();
    }

    private static void batch(Connection connection, int item) throws SQLException {
        connection.setAutoCommit(false);
        long value = Stock.read(connection, item);
        try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET value = ? WHERE id = ?")) {
            for (int i = 0; i <= 1; i++) {
                update.setLong(1, value + i);
                update.setInt(2, item);
                update.addBatch();
            }
            update.executeBatch();
        }
        connection.commit();
    }
}
