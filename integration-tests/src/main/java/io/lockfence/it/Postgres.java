/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A real PostgreSQL on a free loopback port, with durable commits as in production; its data is deleted when it is closed. Thread safe.
 */
public final class Postgres implements AutoCloseable {
    /** The role that services connect as: it owns its tables, and is no superuser. */
    public static final String SERVICE = "stock";

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final EmbeddedPostgres server;

    private Postgres(EmbeddedPostgres server) {
        this.server = server;
        try {
            execute("postgres", "CREATE ROLE " + SERVICE + " LOGIN");
        } catch (SQLException e) {
            close();
            throw new IllegalStateException(e);
        }
    }

    /** The newest supported version, 18. */
    public static Postgres start() {
        return start(null);
    }

    /** The oldest supported version, 14. */
    public static Postgres startOldest() {
        Path jar = Build.oldestPostgres();
        return start((system, machine) -> binary(jar));
    }

    private static Postgres start(PgBinaryResolver binaries) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "200")
                .setPGStartupWait(Duration.ofSeconds(60));
        if (binaries != null) {
            builder.setPgBinaryResolver(binaries);
        }
        try {
            return new Postgres(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start", e);
        }
    }

    private static InputStream binary(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.stream()
                    .filter(e -> e.getName().endsWith(".txz"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no .txz in " + jar));
            return new ByteArrayInputStream(zip.getInputStream(entry).readAllBytes());
        }
    }

    public int port() {
        return server.getPort();
    }

    /** Makes a role with the rights of {@link #SERVICE} that has to give a password. */
    public void createRoleWithPassword(String role, String password) throws SQLException {
        execute("postgres", "CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "' IN ROLE " + SERVICE);
        execute(
                "postgres",
                "DO $$BEGIN EXECUTE format('COPY (VALUES (''host all " + role + " all scram-sha-256''),"
                        + " (''local all all trust''), (''host all all all trust'')) TO %L',"
                        + " current_setting('hba_file')); PERFORM pg_reload_conf(); END$$");
    }

    /** Creates an empty database that belongs to {@link #SERVICE}. */
    public String createDatabase() throws SQLException {
        String name = "stock_" + DATABASES.incrementAndGet();
        execute("postgres", "CREATE DATABASE " + name + " OWNER " + SERVICE);
        return name;
    }

    /** What services connect to: as {@link #SERVICE}, without a password. */
    public String jdbcUrl(String database) {
        return jdbcUrl(port(), database);
    }

    /** The same by way of a proxy's port. */
    public static String jdbcUrl(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** A connection of the superuser. */
    public Connection admin(String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), "postgres", "");
    }

    /** Sends SQL, one or more statements, as the superuser. */
    public void execute(String database, String sql) throws SQLException {
        try (Connection connection = admin(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The one number that a query gives, asked as the superuser. */
    public long number(String database, String query) throws SQLException {
        try (Connection connection = admin(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Creates {@code stock(id, value)} with items 1 to {@code items}, all at zero. */
    public void createStock(String database, int items) throws SQLException {
        execute(
                database,
                "CREATE TABLE stock (id int PRIMARY KEY, value bigint NOT NULL);"
                        + "ALTER TABLE stock OWNER TO " + SERVICE + ";"
                        + "INSERT INTO stock SELECT i, 0 FROM generate_series(1, " + items + ") i;"
                        // For services that keep their locks here.
                        + "CREATE TABLE locks (name text PRIMARY KEY, owner text, expires_at timestamptz NOT NULL, number bigint NOT NULL);"
                        + "ALTER TABLE locks OWNER TO " + SERVICE);
    }

    /** Installs the fence with what {@code lockfence.jar ddl} prints, and gives the service's role what it needs. */
    public void installFence(String database) throws SQLException {
        execute(database, Fence.ddl());
        execute(
                database,
                "GRANT USAGE ON SCHEMA lockfence TO " + SERVICE + ";"
                        + "GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO " + SERVICE);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
