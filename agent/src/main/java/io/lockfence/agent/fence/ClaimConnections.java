/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lockfence.bootstrap.Seams;
import java.io.PrintWriter;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The few connections that claims on one database run on: independent of the service's pools, transactions and timeouts. Opened with the
 * service's own driver, as the service last opened its own. Thread safe.
 */
final class ClaimConnections implements DataSource {
    private static final int MOST = 4;
    private static final int CONNECT_SECONDS = 5;

    /** What a connection needs; the driver is the service's, and must not be kept alive by us. */
    private record Opening(
            WeakReference<Driver> driver, WeakReference<Class<? extends Driver>> type, String url, Properties info) {
        /** The service's driver object; another one of its class if that is gone, since the class lives as long as any connection does. */
        Driver aDriver() throws ReflectiveOperationException {
            Driver used = driver.get();
            if (used != null) {
                return used;
            }
            Class<? extends Driver> alive = type.get();
            return alive == null ? null : alive.getConstructor().newInstance();
        }
    }

    private final Dialect dialect;
    private final String poolName;
    private volatile Opening opening;
    private HikariDataSource pool;

    ClaimConnections(String poolName, Dialect dialect) {
        this.poolName = poolName;
        this.dialect = dialect;
    }

    void as(Driver driver, String url, Properties info) {
        opening = new Opening(
                new WeakReference<>(driver),
                new WeakReference<>(driver.getClass()),
                dialect.claimUrl(url),
                dialect.claimInfo(info));
    }

    /** The same of a connection that is older than the agent, of which less is known. */
    void unlessKnown(Driver driver, String url, Properties info) {
        if (opening == null) {
            as(driver, url, info);
        }
    }

    Connection connect(Duration within) throws SQLException {
        HikariDataSource source = pool();
        long deadline = System.nanoTime() + within.toNanos();
        // A thread of the service's may be interrupted; drivers do not mind, and neither must we.
        boolean interrupted = Thread.interrupted();
        try {
            return connect(source, deadline);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Connection connect(HikariDataSource source, long deadline) throws SQLException {
        while (true) {
            try {
                return source.getConnection();
            } catch (SQLTransientConnectionException e) {
                // The pool gives up after its own shortest time; its cause says why no connection could be opened.
                if (System.nanoTime() - deadline >= 0) {
                    throw e.getCause() instanceof SQLException cause ? cause : e;
                }
            }
        }
    }

    private synchronized HikariDataSource pool() {
        if (pool == null) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(this);
            config.setPoolName(poolName);
            config.setMaximumPoolSize(MOST);
            config.setMinimumIdle(0);
            config.setIdleTimeout(10_000);
            config.setMaxLifetime(300_000);
            config.setConnectionTimeout(1_000);
            config.setValidationTimeout(1_000);
            config.setInitializationFailTimeout(-1);
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
            config.setThreadFactory(task -> {
                Thread thread = new Thread(null, task, "lockfence-claims", 0, false);
                thread.setDaemon(true);
                thread.setContextClassLoader(null);
                return thread;
            });
            pool = new HikariDataSource(config);
        }
        return pool;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Opening now = opening;
        try {
            Driver driver = now.aDriver();
            if (driver == null) {
                throw new SQLException("the service has dropped the JDBC driver of " + poolName);
            }
            Properties copy = new Properties();
            copy.putAll(now.info());
            Connection connection = Seams.ours(() -> driver.connect(now.url(), copy));
            if (connection == null) {
                throw new SQLException("the service's JDBC driver does not accept its own URL again");
            }
            return connection;
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException(e);
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return CONNECT_SECONDS;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
