/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The steps of {@link Stock#increment}, one at a time, as one thread does them. */
final class Steps {
    private final RedissonClient redisson;
    private final DataSource database;
    /** Of the open transaction; null between transactions, where each statement takes a connection of its own. */
    private Connection transaction;

    private long lastRead;

    Steps(RedissonClient redisson, DataSource database) {
        this.redisson = redisson;
        this.database = database;
    }

    void run(String command, String[] words) throws SQLException, InterruptedException {
        switch (words[0]) {
            case "lock" -> lock(words);
            case "trylock" -> tryLock(words);
            case "unlock" -> {
                redisson.getLock(words[1]).unlock();
                say("unlocked " + words[1]);
            }
            case "begin" -> {
                transaction = database.getConnection();
                transaction.setAutoCommit(false);
                say("begun");
            }
            case "read" -> {
                lastRead = onConnection(c -> Stock.read(c, Integer.parseInt(words[1])));
                say("read " + lastRead);
            }
            case "write" -> {
                long value = lastRead + 1;
                onConnection(c -> {
                    Stock.write(c, Integer.parseInt(words[1]), value);
                    return value;
                });
                say("wrote " + value + (transaction == null ? " by itself" : ""));
            }
            case "sql" -> say("done rows=" + onConnection(c -> execute(c, command.substring("sql ".length()))));
            case "commit" -> {
                transaction.commit();
                say("committed");
                close();
            }
            case "rollback" -> {
                if (transaction != null) {
                    transaction.rollback();
                }
                say("rolled-back");
                close();
            }
            case "close" -> {
                close();
                say("closed");
            }
            case "time" -> say("time " + System.currentTimeMillis());
            default -> say("unknown command " + command);
        }
    }

    private void lock(String[] words) {
        RLock lock = redisson.getLock(words[1]);
        if (words.length > 2) {
            lock.lock(Long.parseLong(words[2]), TimeUnit.MILLISECONDS);
        } else {
            lock.lock();
        }
        say("locked " + words[1]);
    }

    private void tryLock(String[] words) throws InterruptedException {
        RLock lock = redisson.getLock(words[1]);
        long wait = Long.parseLong(words[2]);
        boolean locked = words.length > 3
                ? lock.tryLock(wait, Long.parseLong(words[3]), TimeUnit.MILLISECONDS)
                : lock.tryLock(wait, TimeUnit.MILLISECONDS);
        say((locked ? "locked " : "not-locked ") + words[1]);
    }

    private static long execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql) ? 0 : statement.getUpdateCount();
        }
    }

    private interface Use {
        long with(Connection connection) throws SQLException;
    }

    private long onConnection(Use use) throws SQLException {
        if (transaction != null) {
            return use.with(transaction);
        }
        try (Connection connection = database.getConnection()) {
            return use.with(connection);
        }
    }

    /** Gives the connection back, which rolls back what is open. */
    void close() {
        Connection connection = transaction;
        transaction = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                say(Say.failure("close", e));
            }
        }
    }

    private static void say(String words) {
        Say.line(Thread.currentThread().getName(), words);
    }
}
