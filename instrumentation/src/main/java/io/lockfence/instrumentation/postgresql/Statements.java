/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Seams;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;

/**
 * What the executor's {@code execute} methods have in common: statements are told to the agent before they are sent and after they
 * were answered; where it asks for a transaction around them, the flag by which the driver suppresses BEGIN in autocommit mode is
 * cleared, and the driver sends BEGIN in front of them in the same message.
 *
 * <p>What the entry did, the exit must undo, whatever has changed in between: it is marked on the flags, in two bits that no version of
 * the driver reads.
 */
final class Statements {
    private static final int SUPPRESS_BEGIN = 1 << 4;
    private static final int DESCRIBE_ONLY = 1 << 5;
    private static final int READ_ONLY_HINT = 1 << 11;

    private static final int TOLD = 1 << 30;
    private static final int OPENED = 1 << 29;

    private Statements() {}

    /** Returns the flags to go on with. */
    static int sending(Object executor, Object query, int flags) throws Throwable {
        PgSession session = Sessions.of(executor);
        try {
            return tell(session, executor, query, flags);
        } catch (RuntimeException | Error e) {
            Faults.passOrRefuse(session, e);
            return flags;
        }
    }

    /** Returns the flags to go on with. */
    static int sending(Object executor, Object[] queries, int flags) throws Throwable {
        PgSession session = Sessions.of(executor);
        try {
            return tell(session, executor, queries, flags);
        } catch (RuntimeException | Error e) {
            Faults.passOrRefuse(session, e);
            return flags;
        }
    }

    private static int tell(PgSession session, Object executor, Object query, int flags) throws Throwable {
        if (ofNoInterest(session, flags)) {
            return flags;
        }
        Object[] parts = session.driver.subqueries(query);
        if (parts != null) {
            return tell(session, executor, parts, flags);
        }
        String sql = session.driver.nativeSql(query);
        return sql.isEmpty() ? flags : sending(session, executor, sql, null, flags);
    }

    private static int tell(PgSession session, Object executor, Object[] queries, int flags) throws Throwable {
        if (ofNoInterest(session, flags) || queries.length == 0) {
            return flags;
        }
        if (allTheSame(queries) && session.driver.subqueries(queries[0]) == null) {
            String sql = session.driver.nativeSql(queries[0]);
            return sql.isEmpty() ? flags : sending(session, executor, sql, null, flags);
        }
        return sending(session, executor, null, texts(session.driver, queries), flags);
    }

    /** Also spares it the look at its text, and at its end. */
    private static boolean ofNoInterest(PgSession session, int flags) throws SQLException {
        Sessions.refuseUnknown(session);
        return session == null
                || session.ours
                || (flags & DESCRIBE_ONLY) != 0
                || !Seams.effects().concerned(session);
    }

    private static int sending(PgSession session, Object executor, String sql, String[] several, int flags)
            throws Throwable {
        Lock held = null;
        boolean opened = false;
        try {
            boolean autocommit = (flags & SUPPRESS_BEGIN) != 0;
            if (autocommit) {
                // Until the transaction that may be opened here has ended, no other thread's statement may get into it.
                held = session.driver.lock(executor);
                if (held != null) {
                    held.lock();
                }
            }
            boolean alone = autocommit && session.driver.idle(executor);
            Effects effects = Seams.effects();
            opened = (sql != null ? effects.sending(session, sql, alone) : effects.sending(session, several, alone))
                    && alone;
        } catch (Throwable t) {
            Faults.passOrRefuse(session, t);
            return flags;
        } finally {
            if (held != null && !opened) {
                held.unlock();
            }
        }
        // A read-only BEGIN is a hint of the driver's for transactions that it opens for the service.
        return opened ? flags & ~(SUPPRESS_BEGIN | READ_ONLY_HINT) | TOLD | OPENED : flags | TOLD;
    }

    /** @param flags what {@code sending} returned */
    static void sent(Object executor, int flags, Throwable thrown) throws Throwable {
        if ((flags & TOLD) == 0) {
            return;
        }
        PgSession session = Sessions.of(executor);
        boolean opened = (flags & OPENED) != 0;
        Lock held = opened ? session.driver.lock(executor) : null;
        try {
            answered(session, opened, thrown);
        } finally {
            if (held != null) {
                held.unlock();
            }
        }
        if (opened && thrown instanceof BatchUpdateException batch) {
            throw nothingKept(batch);
        }
    }

    /** Tells the agent, and sees to it that no transaction that was opened for it stays open. Returns if {@code thrown} is to go on. */
    static void answered(PgSession session, boolean opened, Throwable thrown) throws SQLException {
        SQLException refusal = null;
        try {
            Seams.effects().sent(session, opened, thrown);
        } catch (SQLException e) {
            refusal = e;
        } catch (Throwable t) {
            Seams.fault(t);
            if (thrown == null && opened) {
                refusal = Faults.refusal("the guard could not be run, and the statement was rolled back", t);
            }
        }
        if (opened && !session.closed() && (session.transactionOpen() || session.transactionFailed())) {
            Seams.fault(new IllegalStateException("a transaction around an autocommitted statement was left open"));
            session.rollBack();
            if (refusal == null && thrown == null) {
                refusal =
                        Faults.refusal("the transaction around the statement was left open, and was rolled back", null);
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    /**
     * A long batch in autocommit mode is sent in parts; bare, the parts before the one that failed are kept, and the driver's counts say
     * so. In a transaction nothing is kept.
     */
    private static BatchUpdateException nothingKept(BatchUpdateException batch) {
        long[] counts = batch.getLargeUpdateCounts();
        if (Arrays.stream(counts).allMatch(count -> count == Statement.EXECUTE_FAILED)) {
            return batch;
        }
        Arrays.fill(counts, Statement.EXECUTE_FAILED);
        BatchUpdateException honest = new BatchUpdateException(
                batch.getMessage(), batch.getSQLState(), batch.getErrorCode(), counts, batch.getCause());
        honest.setStackTrace(batch.getStackTrace());
        if (batch.getNextException() != null) {
            honest.setNextException(batch.getNextException());
        }
        return honest;
    }

    private static boolean allTheSame(Object[] queries) {
        for (Object query : queries) {
            if (query != queries[0]) {
                return false;
            }
        }
        return true;
    }

    private static String[] texts(Pgjdbc driver, Object[] queries) throws Throwable {
        String[] texts = new String[queries.length];
        int count = 0;
        for (Object query : queries) {
            Object[] parts = driver.subqueries(query);
            if (parts == null) {
                texts[count++] = driver.nativeSql(query);
            } else {
                String[] ofParts = texts(driver, parts);
                texts = Arrays.copyOf(texts, texts.length - 1 + ofParts.length);
                System.arraycopy(ofParts, 0, texts, count, ofParts.length);
                count += ofParts.length;
            }
        }
        return texts;
    }
}
