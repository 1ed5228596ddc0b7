/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Session;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/** A service's connection whose calls reach the protocol as the woven driver's would. */
final class Service implements AutoCloseable {
    private final Effects effects;
    private final Connection connection;
    private final Session session;

    Service(Effects effects, String url) throws SQLException {
        this(effects, url, DriverManager.getDriver(url));
    }

    /** @param driver that claims are sent through */
    Service(Effects effects, String url, Driver driver) throws SQLException {
        this.effects = effects;
        this.connection = DriverManager.getConnection(url);
        this.session = new PlainSession(connection.unwrap(PgConnection.class));
        effects.opened(session, driver, url, new Properties());
    }

    Connection connection() {
        return connection;
    }

    Session session() {
        return session;
    }

    Service inTransactions() throws SQLException {
        connection.setAutoCommit(false);
        return this;
    }

    Service isolation(int level) throws SQLException {
        connection.setTransactionIsolation(level);
        return this;
    }

    /** The first column of the first row; null if there is none. */
    String query(String sql) throws SQLException {
        String[] answer = new String[1];
        send(sql, statement -> {
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    answer[0] = rows.next() ? rows.getString(1) : null;
                }
            }
        });
        return answer[0];
    }

    void execute(String sql) throws SQLException {
        send(sql, statement -> statement.execute(sql));
    }

    private interface Sending {
        void on(Statement statement) throws SQLException;
    }

    private void send(String sql, Sending sending) throws SQLException {
        try {
            boolean alone = connection.getAutoCommit() && !session.transactionOpen() && !session.transactionFailed();
            boolean opened = effects.sending(session, sql, alone);
            SQLException thrown = null;
            try (Statement statement = connection.createStatement()) {
                if (opened) {
                    statement.execute("BEGIN");
                }
                sending.on(statement);
            } catch (SQLException e) {
                thrown = e;
            }
            effects.sent(session, opened, thrown);
            if (thrown != null) {
                throw thrown;
            }
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    void commit() throws SQLException {
        try {
            effects.committing(session);
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
        execute("COMMIT");
    }

    void rollback() throws SQLException {
        connection.rollback();
        effects.rolledBack(session);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        effects.closed(session);
    }

    private static final class PlainSession extends Session {
        private final PgConnection connection;

        PlainSession(PgConnection connection) {
            this.connection = connection;
        }

        private TransactionState state() {
            return connection.getQueryExecutor().getTransactionState();
        }

        @Override
        public Object connection() {
            return connection;
        }

        @Override
        public boolean transactionOpen() {
            return state() == TransactionState.OPEN;
        }

        @Override
        public boolean transactionFailed() {
            return state() == TransactionState.FAILED;
        }

        @Override
        public int backend() {
            return connection.getBackendPID();
        }

        @Override
        public boolean busy() {
            return false;
        }

        @Override
        public boolean readOnly() {
            try {
                return connection.isReadOnly();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean closed() {
            return connection.getQueryExecutor().isClosed();
        }
    }
}
