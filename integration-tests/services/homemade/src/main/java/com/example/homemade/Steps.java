/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** One step at a time, as one thread does them. */
final class Steps {
    private static final long LONGEST_WAIT_NANOS = 60_000_000_000L;

    private final Style style;
    private final DataSource database;
    private final Device device;
    private Connection transaction;
    private long lastRead;

    Steps(Style style, DataSource database, Device device) {
        this.style = style;
        this.database = database;
        this.device = device;
    }

    void run(String[] words) throws Exception {
        switch (words[0]) {
            case "lock" -> {
                lock(words[1]);
                say("locked " + words[1]);
            }
            case "trylock" -> say((style.take().take(words[1]) ? "locked " : "not-locked ") + words[1]);
            case "keep" -> say((style.keep().keep(words[1]) ? "kept " : "not-kept ") + words[1]);
            case "unlock" -> {
                style.give().give(words[1]);
                say("unlocked " + words[1]);
            }
            case "begin" -> {
                transaction = database.getConnection();
                transaction.setAutoCommit(false);
                say("begun");
            }
            case "read" -> {
                lastRead = read(Integer.parseInt(words[1]));
                say("read " + lastRead);
            }
            case "write" -> {
                write(Integer.parseInt(words[1]), lastRead + 1);
                say("wrote " + (lastRead + 1) + (transaction == null ? " by itself" : ""));
            }
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
            case "send" -> {
                device.send(words[1]);
                say("sent " + words[1]);
            }
            case "increment" -> {
                increment(
                        words[1],
                        Integer.parseInt(words[2]),
                        Duration.ofMillis(words.length > 3 ? Long.parseLong(words[3]) : 0));
                say("finished increment");
            }
            default -> say("unknown command " + words[0]);
        }
    }

    /** All of it, in a transaction, with some work between reading and writing. */
    private void increment(String name, int item, Duration work) throws Exception {
        lock(name);
        say("locked " + name);
        try {
            transaction = database.getConnection();
            transaction.setAutoCommit(false);
            long read = read(item);
            say("read " + read);
            Thread.sleep(work.toMillis());
            long value = read + 1;
            write(item, value);
            say("wrote " + value);
            transaction.commit();
            say("committed " + value);
        } finally {
            close();
            style.give().give(name);
        }
    }

    private void lock(String name) throws Exception {
        long end = System.nanoTime() + LONGEST_WAIT_NANOS;
        while (!style.take().take(name)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("no lock " + name + " within a minute");
            }
            Thread.sleep(50);
        }
    }

    private long read(int item) throws SQLException {
        Connection connection = connection();
        try (PreparedStatement select = connection.prepareStatement("SELECT value FROM stock WHERE id = ?")) {
            select.setInt(1, item);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } finally {
            done(connection);
        }
    }

    private void write(int item, long value) throws SQLException {
        Connection connection = connection();
        try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET value = ? WHERE id = ?")) {
            update.setLong(1, value);
            update.setInt(2, item);
            update.executeUpdate();
        } finally {
            done(connection);
        }
    }

    private Connection connection() throws SQLException {
        return transaction != null ? transaction : database.getConnection();
    }

    private void done(Connection connection) throws SQLException {
        if (connection != transaction) {
            connection.close();
        }
    }

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
