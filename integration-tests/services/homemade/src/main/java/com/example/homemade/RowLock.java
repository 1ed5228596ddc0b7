/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** A row with an owner, an expiry and a number that grows with each owner: table {@code locks(name, owner, expires_at, number)}. */
public class RowLock {
    /** What was taken. */
    public record Grant(String name, String owner, long number) {}

    private final DataSource database;
    private final Map<String, Grant> grants = new ConcurrentHashMap<>();

    public RowLock(DataSource database) {
        this.database = database;
    }

    /** Null if somebody else has it. */
    public Grant acquire(String name, Duration lease) throws SQLException {
        String owner = UUID.randomUUID().toString();
        try (Connection connection = database.getConnection();
                PreparedStatement take = connection.prepareStatement(
                        "INSERT INTO locks VALUES (?, ?, clock_timestamp() + ? * interval '1 millisecond', 1)"
                                + " ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at, number = locks.number + 1"
                                + " WHERE locks.expires_at <= clock_timestamp() RETURNING number")) {
            take.setString(1, name);
            take.setString(2, owner);
            take.setLong(3, lease.toMillis());
            try (ResultSet taken = take.executeQuery()) {
                if (!taken.next()) {
                    return null;
                }
                Grant grant = new Grant(name, owner, taken.getLong(1));
                grants.put(name, grant);
                return grant;
            }
        }
    }

    public boolean extend(String name, Duration lease) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement keep = connection.prepareStatement(
                        "UPDATE locks SET expires_at = clock_timestamp() + ? * interval '1 millisecond' WHERE name = ? AND owner = ?")) {
            keep.setLong(1, lease.toMillis());
            keep.setString(2, name);
            keep.setString(3, grants.get(name).owner());
            return keep.executeUpdate() == 1;
        }
    }

    public void release(String name) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement give = connection.prepareStatement(
                        "UPDATE locks SET expires_at = clock_timestamp() WHERE name = ? AND owner = ?")) {
            give.setString(1, name);
            give.setString(2, grants.get(name).owner());
            give.executeUpdate();
        }
    }
}
