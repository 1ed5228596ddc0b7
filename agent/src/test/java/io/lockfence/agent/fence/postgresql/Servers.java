/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Real servers, the newest and the oldest that are supported; each is started once, when it is first asked for, and ends with the JVM. */
public enum Servers {
    NEWEST {
        @Override
        EmbeddedPostgres.Builder builder() {
            return EmbeddedPostgres.builder();
        }
    },
    OLDEST {
        @Override
        EmbeddedPostgres.Builder builder() {
            return EmbeddedPostgres.builder().setPgBinaryResolver((system, hardware) -> archive());
        }
    };

    private EmbeddedPostgres server;

    abstract EmbeddedPostgres.Builder builder();

    /** The URL of the server's database {@code postgres}, in which the fence is ready and {@code public.note} is a table of the service's. */
    public synchronized String url() {
        if (server == null) {
            try {
                // what they are.
                server = builder()
                        .setServerConfig("max_prepared_transactions", "4")
                        .start();
                try (Connection connection = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
                        Statement statement = connection.createStatement()) {
                    statement.execute(new PostgresFence().ddl());
                    statement.execute("CREATE TABLE note (id text PRIMARY KEY, value bigint NOT NULL)");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
        return server.getJdbcUrl("postgres", "postgres");
    }

    /** A new connection in autocommit mode, as the owner of the fence. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** The URL of a new, empty database. */
    public String emptyDatabase(String name) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS " + name);
            statement.execute("CREATE DATABASE " + name);
        }
        return server.getJdbcUrl("postgres", name);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT) + " server";
    }

    /** The oldest server as the build has laid it down; the caller closes it. */
    private static InputStream archive() throws IOException {
        ZipInputStream jar = new ZipInputStream(Files.newInputStream(Path.of("target/servers/postgresql-14.jar")));
        for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
            if (entry.getName().endsWith(".txz")) {
                return jar;
            }
        }
        jar.close();
        throw new IOException("no server in target/servers/postgresql-14.jar");
    }
}
