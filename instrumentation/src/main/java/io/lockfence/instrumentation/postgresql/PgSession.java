/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Session;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection of pgjdbc. Refers to the driver's objects weakly: it is kept in a map whose key is the executor.
 */
final class PgSession extends Session {
    /** What a call that has no flags to carry it told the agent at its entry, for its exit. */
    enum Told {
        NOTHING,
        SENDING,
        /** The agent asked for a transaction around it. */
        OPENED
    }

    final Pgjdbc driver;
    private final WeakReference<Object> connection;
    private final WeakReference<Object> executor;

    /** Of the fast path call under way. */
    Told call = Told.NOTHING;
    /** Of the COPY under way, from its start until its data has ended. */
    Told copying = Told.NOTHING;

    /** The agent was not told of it, by a fault of ours: what is sent here cannot be fenced. */
    boolean unknown;

    private WeakReference<Object> copy;

    /** The advisory locks that it was seen to hold; null before the first. */
    private volatile AdvisoryHolds advisory;

    PgSession(Pgjdbc driver, Object connection, Object executor) {
        this.driver = driver;
        this.connection = new WeakReference<>(connection);
        this.executor = new WeakReference<>(executor);
    }

    @Override
    public Object connection() {
        return connection.get();
    }

    @Override
    public boolean transactionOpen() {
        Object of = executor.get();
        try {
            return of != null && !driver.closed(of) && driver.open(of);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public boolean transactionFailed() {
        Object of = executor.get();
        try {
            return of != null && !driver.closed(of) && driver.failed(of);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public boolean busy() {
        Object started = copy == null ? null : copy.get();
        try {
            return started != null && driver.copyActive(started);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public boolean readOnly() {
        try {
            return connection.get() instanceof Connection alive && alive.isReadOnly();
        } catch (SQLException closed) {
            return false;
        }
    }

    @Override
    public boolean closed() {
        Object of = executor.get();
        try {
            return of == null || driver.closed(of);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int backend() {
        Object of = executor.get();
        try {
            return of == null ? 0 : driver.backendPid(of);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** The driver's executor; null once the service has dropped it. */
    Object executor() {
        return executor.get();
    }

    /** Null where it was never seen to take an advisory lock. */
    AdvisoryHolds advisory() {
        return advisory;
    }

    /** Begins to keep books on its advisory locks. */
    synchronized AdvisoryHolds keepAdvisory() {
        if (advisory == null) {
            advisory = new AdvisoryHolds(this);
        }
        return advisory;
    }

    /** Remembers the COPY under way; null when it has ended. */
    void copy(Object operation) {
        copy = operation == null ? null : new WeakReference<>(operation);
    }

    /** Ends a transaction that must not stay open: by ROLLBACK, or else by closing the connection. */
    void rollBack() throws SQLException {
        if (!(connection.get() instanceof Connection alive)) {
            return;
        }
        boolean before = ours;
        ours = true;
        try (Statement statement = alive.createStatement()) {
            // As text: rollback() refuses in autocommit mode, where this transaction is.
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            alive.close();
            throw e;
        } finally {
            ours = before;
        }
    }

    private static IllegalStateException unexpected(Throwable thrown) {
        return new IllegalStateException("the driver's own method failed", thrown);
    }
}
