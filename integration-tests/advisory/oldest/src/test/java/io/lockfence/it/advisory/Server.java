/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.it.TcpProxy;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A PostgreSQL with a fence, behind a network that can be cut. */
final class Server implements AutoCloseable {
    private final Path data;
    private final int port;
    private final TcpProxy wire;
    private EmbeddedPostgres server;

    Server() throws IOException, SQLException {
        data = Files.createTempDirectory("advisory-");
        server = start(0, data);
        port = server.getPort();
        wire = new TcpProxy(port);
        installFence();
    }

    private static EmbeddedPostgres start(int port, Path data) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("max_connections", "100")
                .setPGStartupWait(Duration.ofSeconds(60));
        return (port == 0 ? builder : builder.setPort(port)).start();
    }

    private void installFence() throws SQLException {
        execute(new PostgresFence().ddl());
    }

    int port() {
        return port;
    }

    /** What the service connects to, by way of the network. */
    String url() {
        return url(wire.port());
    }

    private static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
    }

    TcpProxy wire() {
        return wire;
    }

    /** An administrator's connection, past the network. */
    Connection admin() throws SQLException {
        return DriverManager.getConnection(url(port));
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = admin();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Ends the session that holds the lock of one key. */
    void kill(long key) throws SQLException {
        execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                + " AND (classid::bigint << 32 | objid::bigint) = " + key);
    }

    void restart(boolean keepData) throws IOException, SQLException {
        server.close();
        if (!keepData) {
            delete(data);
        }
        server = start(port, data);
        if (!keepData) {
            installFence();
        }
    }

    @Override
    public void close() throws IOException {
        wire.close();
        server.close();
        delete(data);
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) {
            try {
                Files.delete(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
