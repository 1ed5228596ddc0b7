/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Seams;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Properties;

/** The sessions of the connections that the service has opened. */
final class Sessions {
    /** By executor; weak by identity, bounded by the connections that are alive. Connections of Lockfence's own are in it only where others may be met later. */
    private static final Beside<Object, PgSession> BY_EXECUTOR = new Beside<>();

    /** A connection was opened that has no session, by a fault of ours; from then on none can be told from one of our own. */
    private static volatile boolean anyMissing;

    private Sessions() {}

    /** Throws where the connection is one that the agent could not be told of, and what is sent now would have to be fenced. */
    static void refuseUnknown(PgSession session) throws SQLException {
        if ((session == null ? anyMissing : session.unknown) && Seams.effects().refusesUnknown()) {
            throw Faults.refusal("it could not keep books on this connection; nothing was sent", null);
        }
    }

    static PgSession of(Object executor) {
        return BY_EXECUTOR.get(executor);
    }

    static PgSession ofConnection(Object connection) throws Throwable {
        Object executor = Pgjdbc.of(connection).executor(connection);
        // None in a connection that is being given up in its constructor.
        return executor == null ? null : of(executor);
    }

    static void opened(Object driver, String url, Properties info, Object connection) {
        boolean late = Seams.blindUntil() > 0;
        Effects effects = Seams.effects();
        if (connection == null || (late ? effects == null : Seams.ours())) {
            return;
        }
        PgSession session = null;
        try {
            Pgjdbc pgjdbc = Pgjdbc.of(connection);
            Object executor = pgjdbc.executor(connection);
            if (late) {
                // It may have been met already, by what the driver itself sends while it opens a connection.
                closed(executor);
            }
            session = new PgSession(pgjdbc, connection, executor);
            session.ours = Seams.ours();
            BY_EXECUTOR.put(executor, session);
            if (effects != null && !session.ours) {
                effects.opened(session, driver, url, copy(info));
            }
        } catch (Throwable t) {
            if (session == null) {
                anyMissing = true;
            } else {
                session.unknown = true;
            }
            Seams.fault(t);
        }
    }

    /** A connection that is about to be used, which may be older than the agent. */
    static void met(Object connection) {
        try {
            met(connection, Pgjdbc.of(connection).executor(connection));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    static void met(Object connection, Object executor) {
        if (executor != null && of(executor) == null && !Seams.ours() && Seams.effects() != null) {
            adopt((Connection) connection, executor);
        }
    }

    private static synchronized void adopt(Connection connection, Object executor) {
        if (of(executor) != null) {
            return;
        }
        PgSession session = null;
        try {
            if (connection.isClosed()) {
                return;
            }
            session = new PgSession(Pgjdbc.of(connection), connection, executor);
            DatabaseMetaData known = connection.getMetaData();
            Properties info = new Properties();
            if (known.getUserName() != null) {
                info.setProperty("user", known.getUserName());
            }
            Object driver = Class.forName(
                            "org.postgresql.Driver", true, connection.getClass().getClassLoader())
                    .getConstructor()
                    .newInstance();
            Seams.effects().adopted(session, driver, known.getURL(), info);
        } catch (Throwable t) {
            if (session == null) {
                anyMissing = true;
            } else {
                session.unknown = true;
            }
            Seams.fault(t);
        }
        if (session != null) {
            BY_EXECUTOR.put(executor, session);
        }
    }

    static void connectionClosed(Object connection) {
        try {
            Object executor = Pgjdbc.of(connection).executor(connection);
            if (executor != null) {
                closed(executor);
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    static void closed(Object executor) {
        PgSession session = of(executor);
        if (session != null) {
            try {
                Seams.effects().closed(session);
                AdvisoryLocks.closed(session);
            } catch (Throwable t) {
                Seams.fault(t);
            }
        }
    }

    /** With the defaults, which {@link Properties} hides from its map. */
    private static Properties copy(Properties info) {
        Properties copy = new Properties();
        if (info != null) {
            for (String name : info.stringPropertyNames()) {
                copy.setProperty(name, info.getProperty(name));
            }
        }
        return copy;
    }
}
