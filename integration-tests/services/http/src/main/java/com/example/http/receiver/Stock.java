/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.receiver;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Items in table {@code stock(id int primary key, value bigint)}. */
final class Stock implements Handler {
    private final DataSource database;
    private final boolean inTransactions;

    Stock(DataSource database, boolean inTransactions) {
        this.database = database;
        this.inTransactions = inTransactions;
    }

    @Override
    public Reply handle(Request request) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(!inTransactions);
            Reply reply = request.method().equals("GET")
                    ? read(connection, Item.of(request))
                    : write(connection, Item.of(request), Long.parseLong(request.body()));
            if (inTransactions) {
                connection.commit();
            }
            return reply;
        } catch (SQLException e) {
            return Reply.text(500, "the database said: " + e.getMessage());
        }
    }

    private static Reply read(Connection connection, int item) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT value FROM stock WHERE id = ?")) {
            select.setInt(1, item);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Reply.text(200, Long.toString(row.getLong(1))) : Reply.text(404, "no item " + item);
            }
        }
    }

    private static Reply write(Connection connection, int item, long value) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET value = ? WHERE id = ?")) {
            update.setLong(1, value);
            update.setInt(2, item);
            return Reply.text(200, "rows " + update.executeUpdate());
        }
    }
}
