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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Real servers, one of each supported version; each is started once, when it is first asked for, and ends with the JVM. */
public enum Servers {
    OLDEST(14),
    V15(15),
    V16(16),
    V17(17),
    NEWEST(18);

    private final int version;
    private EmbeddedPostgres server;

    Servers(int version) {
        this.version = version;
    }

    /** For a server of the caller's own. */
    public EmbeddedPostgres.Builder builder() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
        // The newest is on the class path.
        return this == NEWEST ? builder : builder.setPgBinaryResolver((system, hardware) -> archive());
    }

    /** The URL of the server's database {@code postgres}, in which the fence is ready and {@code public.note} is a table of the service's. */
    public synchronized String url() {
        if (server == null) {
            try {
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

    /** The first column of the first row that a statement gives, on a connection of its own; null if there is none. */
    public static String ask(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return null;
            }
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
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
        return "PostgreSQL " + version;
    }

    /** The server as the build has laid it down; the caller closes it. */
    private InputStream archive() throws IOException {
        Path path = Path.of("target/servers/postgresql-" + version + ".jar");
        ZipInputStream jar = new ZipInputStream(Files.newInputStream(path));
        for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
            if (entry.getName().endsWith(".txz")) {
                return jar;
            }
        }
        jar.close();
        throw new IOException("no server in " + path);
    }
}
