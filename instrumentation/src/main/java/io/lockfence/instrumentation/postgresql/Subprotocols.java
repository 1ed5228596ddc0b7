/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.postgresql.PgSession.Told;
import java.sql.SQLException;
import java.util.concurrent.locks.Lock;

/** Function calls by number, and COPY: they have no flags, but say themselves whether the driver must send BEGIN first. */
final class Subprotocols {
    private Subprotocols() {}

    /** Returns whether the driver is to suppress BEGIN. */
    static boolean calling(Object executor, boolean suppressBegin) throws Throwable {
        PgSession session = Sessions.of(executor);
        Sessions.refuseUnknown(session);
        if (session == null) {
            return suppressBegin;
        }
        session.call = sending(session, executor, Effects.FASTPATH, suppressBegin);
        if (session.call == Told.OPENED) {
            hold(session, executor);
        }
        return suppressBegin && session.call != Told.OPENED;
    }

    static void called(Object executor, Throwable thrown) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session != null && session.call != Told.NOTHING) {
            boolean opened = session.call == Told.OPENED;
            session.call = Told.NOTHING;
            try {
                Statements.answered(session, opened, thrown);
            } finally {
                if (opened) {
                    letGo(session, executor);
                }
            }
        }
    }

    /** Returns whether the driver is to suppress BEGIN. */
    static boolean startingCopy(Object executor, String sql, boolean suppressBegin) throws Throwable {
        PgSession session = Sessions.of(executor);
        Sessions.refuseUnknown(session);
        if (session == null) {
            return suppressBegin;
        }
        session.copying = sending(session, executor, sql, suppressBegin);
        return suppressBegin && session.copying != Told.OPENED;
    }

    static void startedCopy(Object executor, Object copy, Throwable thrown) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session == null) {
            return;
        }
        session.copy(copy);
        if (thrown != null) {
            ended(session, thrown);
        }
    }

    static void readCopy(Object executor, Throwable thrown) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session != null && session.copying != Told.NOTHING && !session.busy()) {
            ended(session, thrown);
        }
    }

    /** Returns whether a transaction was opened around the COPY. */
    static boolean endingCopy(Object executor) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session == null || session.copying != Told.OPENED) {
            return false;
        }
        hold(session, executor);
        return true;
    }

    static void endedCopy(Object executor, boolean held, boolean cancelled, Throwable thrown) throws Throwable {
        PgSession session = Sessions.of(executor);
        if (session == null) {
            return;
        }
        try {
            boolean failed = thrown == null && cancelled;
            ended(session, failed ? new SQLException("the service has cancelled the COPY", "57014") : thrown);
        } finally {
            if (held) {
                letGo(session, executor);
            }
        }
    }

    private static void ended(PgSession session, Throwable thrown) throws SQLException {
        Told told = session.copying;
        session.copying = Told.NOTHING;
        session.copy(null);
        if (told != Told.NOTHING) {
            Statements.answered(session, told == Told.OPENED, thrown);
        }
    }

    private static Told sending(PgSession session, Object executor, String sql, boolean suppressBegin)
            throws SQLException {
        if (session.ours) {
            return Told.NOTHING;
        }
        try {
            boolean alone = suppressBegin && session.driver.idle(executor);
            return Seams.effects().sending(session, sql, alone) && alone ? Told.OPENED : Told.SENDING;
        } catch (Throwable t) {
            Faults.passOrRefuse(session, t);
            return Told.NOTHING;
        }
    }

    /** Keeps other threads' statements out of the transaction until it has ended. */
    private static void hold(PgSession session, Object executor) throws Throwable {
        Lock lock = session.driver.lock(executor);
        if (lock != null) {
            lock.lock();
        }
    }

    private static void letGo(PgSession session, Object executor) throws Throwable {
        Lock lock = session.driver.lock(executor);
        if (lock != null) {
            lock.unlock();
        }
    }
}
