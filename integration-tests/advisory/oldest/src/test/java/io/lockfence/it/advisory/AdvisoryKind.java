/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.postgresql.AdvisoryLocksLibrary;
import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import io.lockfence.it.locks.LockContract.Kind;
import io.lockfence.it.locks.LockContract.ServiceLock;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** Session-level advisory locks, each on a connection of its own, with a PostgreSQL of their own. */
final class AdvisoryKind implements Kind {
    private static final long PAUSE_MILLIS = 20;

    static {
        weave();
    }

    private final Server server = start();
    private final List<Connection> opened = new CopyOnWriteArrayList<>();

    static void weave() {
        WovenLocks.install(new AdvisoryLocksLibrary(), new PostgresLibrary());
    }

    private static Server start() {
        try {
            return new Server();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static long key(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    @Override
    public String library() {
        return "postgresql-advisory";
    }

    @Override
    public String lock(String name) {
        return Long.toString(key(name));
    }

    @Override
    public ServiceLock lock(int client, String name) {
        return new AdvisoryLock(key(name));
    }

    @Override
    public boolean reenters() {
        return true;
    }

    @Override
    public boolean countsHolds() {
        return false;
    }

    @Override
    public boolean ownsThread() {
        return false;
    }

    @Override
    public boolean endsByTime() {
        return false;
    }

    @Override
    public Duration granted() {
        return Duration.ofDays(20 * 365);
    }

    @Override
    public void destroy(String name) throws Exception {
        server.kill(key(name));
    }

    @Override
    public void cutOff() {
        server.wire().cut();
    }

    @Override
    public void heal() {
        server.wire().heal();
    }

    @Override
    public void restart(boolean keepData) throws Exception {
        server.restart(keepData);
    }

    @Override
    public void close() throws Exception {
        for (Connection connection : opened) {
            connection.close();
        }
        server.close();
    }

    /** As a service does it that keeps a connection for its lock, and gives up waiting when it is interrupted. */
    private final class AdvisoryLock implements ServiceLock {
        private final long key;
        private Connection connection;

        AdvisoryLock(long key) {
            this.key = key;
        }

        private Connection connection() throws SQLException {
            if (connection == null || connection.isClosed()) {
                connection = DriverManager.getConnection(server.url());
                opened.add(connection);
            }
            return connection;
        }

        @Override
        public void acquire() throws Exception {
            try (Statement limit = connection().createStatement()) {
                limit.execute("SET lock_timeout = 200");
            }
            while (true) {
                try {
                    ask("SELECT pg_advisory_lock(?)");
                    return;
                } catch (SQLException e) {
                    if (!"55P03".equals(e.getSQLState())) {
                        throw e;
                    }
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        @Override
        public boolean acquire(Duration atMost) throws Exception {
            long until = System.nanoTime() + atMost.toNanos();
            while (!ask("SELECT pg_try_advisory_lock(?)")) {
                if (System.nanoTime() - until > 0) {
                    return false;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            return true;
        }

        @Override
        public void release() throws Exception {
            if (!ask("SELECT pg_advisory_unlock(?)")) {
                throw new IllegalStateException("was not held");
            }
        }

        private boolean ask(String sql) throws SQLException {
            try (PreparedStatement statement = connection().prepareStatement(sql)) {
                statement.setLong(1, key);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return "t".equals(row.getString(1));
                }
            }
        }
    }
}
