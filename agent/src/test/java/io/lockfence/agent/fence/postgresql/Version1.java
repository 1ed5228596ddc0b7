/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The fence of version 1, and the calls of the agents that came with it, letter by letter. */
public final class Version1 {
    private static final String CLAIM =
            "SELECT * FROM lockfence.claim(?::text, ?::text, ?::integer, ?::bigint, ?::text, ?::text, ?::boolean, ?::integer)";
    private static final String CLAIM_IN_TRANSACTION =
            "SELECT * FROM lockfence.claim_in_transaction(?::text, ?::text, ?::integer, ?::bigint, ?::text, ?::text, ?::text[])";
    private static final String GUARD =
            "CALL lockfence.guard(?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::boolean[], NULL::text)";
    private static final String GUARD_AND_COMMIT = GUARD + ";COMMIT";
    private static final String GUARD_AT_RELEASE =
            "SELECT * FROM lockfence.guard_at_release(?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::integer, ?::integer)"
                    + " ORDER BY item";
    private static final String LOOK = "SELECT * FROM lockfence.look(?::text)";

    private Version1() {}

    /** What {@code ddl} printed. */
    public static String ddl() {
        try (InputStream in = Version1.class.getResourceAsStream("ddl-version-1.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The columns of the answer as text. */
    static List<String> claim(Connection own, long token, String leaseId) throws SQLException {
        try (PreparedStatement statement = own.prepareStatement(CLAIM)) {
            bind(statement, token, leaseId);
            statement.setBoolean(7, true);
            statement.setInt(8, 1000);
            return row(statement);
        }
    }

    static List<String> claimInTransaction(Connection service, long token, String leaseId, String previous)
            throws SQLException {
        try (PreparedStatement statement = service.prepareStatement(CLAIM_IN_TRANSACTION)) {
            bind(statement, token, leaseId);
            statement.setString(7, "{\"" + previous + "\"}");
            return row(statement);
        }
    }

    private static void bind(PreparedStatement statement, long token, String leaseId) throws SQLException {
        statement.setString(1, "r");
        statement.setString(2, "lock");
        statement.setInt(3, 0);
        statement.setLong(4, token);
        statement.setString(5, leaseId);
        statement.setString(6, "host");
    }

    static void guard(Connection service, long token, String leaseId) throws SQLException {
        guard(GUARD, service, token, leaseId);
    }

    static void guardAndCommit(Connection service, long token, String leaseId) throws SQLException {
        guard(GUARD_AND_COMMIT, service, token, leaseId);
    }

    private static void guard(String sql, Connection service, long token, String leaseId) throws SQLException {
        try (PreparedStatement statement = service.prepareStatement(sql)) {
            bindItem(statement, token, leaseId);
            statement.setString(6, "{\"true\"}");
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                if (row.getString(1) != null) {
                    throw new AssertionError("an enforced guard raises and reports nothing: " + row.getString(1));
                }
            }
        }
    }

    static List<String> guardAtRelease(Connection service, long token, String leaseId) throws SQLException {
        try (PreparedStatement statement = service.prepareStatement(GUARD_AT_RELEASE)) {
            bindItem(statement, token, leaseId);
            statement.setInt(6, 0);
            statement.setInt(7, 60_000);
            return row(statement);
        }
    }

    private static void bindItem(PreparedStatement statement, long token, String leaseId) throws SQLException {
        statement.setString(1, "{\"r\"}");
        statement.setString(2, "{\"lock\"}");
        statement.setString(3, "{\"0\"}");
        statement.setString(4, "{\"" + token + "\"}");
        statement.setString(5, "{\"" + leaseId + "\"}");
    }

    static List<String> look(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOOK)) {
            statement.setString(1, "r");
            return row(statement);
        }
    }

    private static List<String> row(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                columns.add(row.getString(i));
            }
            return columns;
        }
    }
}
