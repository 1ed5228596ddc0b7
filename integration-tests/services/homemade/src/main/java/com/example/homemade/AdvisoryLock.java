/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** PostgreSQL's advisory locks of the session, on connections of the pool. Names are numbers. */
final class AdvisoryLock {
    private final DataSource database;
    private final Map<String, Connection> held = new ConcurrentHashMap<>();

    AdvisoryLock(DataSource database) {
        this.database = database;
    }

    /** Keeps the connection until the unlock. */
    boolean tryLock(String name) throws SQLException {
        Connection connection = database.getConnection();
        if (!ask(connection, "SELECT pg_try_advisory_lock(?)", name)) {
            connection.close();
            return false;
        }
        held.put(name, connection);
        return true;
    }

    void unlock(String name) throws SQLException {
        try (Connection connection = held.remove(name)) {
            ask(connection, "SELECT pg_advisory_unlock(?)", name);
        }
    }

    /** As a template does it that takes a connection out of the pool for each statement: the lock goes back with it. */
    boolean tryLockByStatement(String name) throws SQLException {
        try (Connection connection = database.getConnection()) {
            return ask(connection, "SELECT pg_try_advisory_lock(?)", name);
        }
    }

    /** Whatever connection it gets, and whatever that answers. */
    void unlockByStatement(String name) throws SQLException {
        try (Connection connection = database.getConnection()) {
            ask(connection, "SELECT pg_advisory_unlock(?)", name);
        }
    }

    private static boolean ask(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, Long.parseLong(name));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }
}
