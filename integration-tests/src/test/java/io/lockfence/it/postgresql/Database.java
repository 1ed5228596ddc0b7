/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The PostgreSQL server that these tests share, on loopback; it ends with the JVM. */
final class Database {
    private static final EmbeddedPostgres SERVER = start();

    private Database() {}

    static int port() {
        return SERVER.getPort();
    }

    /** A connection that nothing watches. */
    static Connection observer() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port() + "/postgres", "postgres", "");
    }

    static void run(String... statements) throws SQLException {
        try (Connection connection = observer();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder()
                    .setServerConfig("max_prepared_transactions", "10")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
