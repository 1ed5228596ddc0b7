/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Predicate;

/** An agent's side that keeps what it hears, and answers as the test says. */
class ScriptedEffects implements Effects {
    /** What was heard, in order, such as {@code sending alone INSERT …}. */
    final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    final List<Session> sessions = Collections.synchronizedList(new ArrayList<>());
    final List<Properties> infos = Collections.synchronizedList(new ArrayList<>());

    /** Which lone statements get a transaction around them. */
    volatile Predicate<String> wrap = sql -> false;
    /** Thrown where a text passes. */
    volatile Predicate<String> refuse = sql -> false;
    /** Thrown at the commit of a wrapped statement, and at {@link #committing}. */
    volatile boolean refuseCommit;
    /** Thrown at {@link #fetching}. */
    volatile boolean refuseFetch;

    static boolean isWrite(String sql) {
        String start = sql.stripLeading().toLowerCase(Locale.ROOT);
        return start.startsWith("insert")
                || start.startsWith("update")
                || start.startsWith("delete")
                || start.startsWith("create")
                || start.startsWith("drop")
                || start.startsWith("copy") && start.contains("from stdin")
                || start.startsWith("call")
                || start.contains("next_id(")
                || start.equals("fastpath");
    }

    static SQLException refusal() {
        return new SQLNonTransientException("refused by the test", "LF001");
    }

    @Override
    public boolean bound(Session session) {
        return session.books != null;
    }

    @Override
    public boolean refusesUnknown() {
        return LeaseContext.current().length > 0;
    }

    @Override
    public void opened(Session session, Object driver, String url, Properties info) {
        sessions.add(session);
        infos.add(info);
        heard.add("opened");
    }

    @Override
    public boolean sending(Session session, String[] sql, boolean alone) throws Throwable {
        heard.add("sending" + (alone ? " alone " : " ") + String.join(" | ", sql));
        if (Arrays.stream(sql).anyMatch(refuse)) {
            throw refusal();
        }
        return alone && Arrays.stream(sql).anyMatch(wrap);
    }

    @Override
    public boolean sending(Session session, String sql, boolean alone) throws Throwable {
        heard.add("sending" + (alone ? " alone " : " ") + sql);
        if (refuse.test(sql)) {
            throw refusal();
        }
        return alone && wrap.test(sql);
    }

    @Override
    public void sent(Session session, boolean opened, Throwable thrown) throws Throwable {
        heard.add("sent" + (opened ? " opened" : "") + (thrown == null ? "" : " failed"));
        if (!opened || session.closed()) {
            return;
        }
        boolean keep = thrown == null && !refuseCommit;
        if (session.transactionOpen() || session.transactionFailed()) {
            tell(session, keep ? "COMMIT" : "ROLLBACK");
        }
        if (thrown == null && refuseCommit) {
            throw refusal();
        }
    }

    @Override
    public void fetching(Session session, Lease[] openedUnder) throws Throwable {
        heard.add("fetching " + openedUnder.length);
        if (refuseFetch) {
            throw refusal();
        }
    }

    @Override
    public void committing(Session session) throws Throwable {
        heard.add("committing" + (session.transactionOpen() ? " open" : session.transactionFailed() ? " failed" : ""));
        if (refuseCommit && session.transactionOpen()) {
            tell(session, "ROLLBACK");
            throw refusal();
        }
    }

    @Override
    public void rolledBack(Session session) {
        heard.add("rolledBack");
    }

    @Override
    public void abandoned(Session session) {
        heard.add("abandoned");
    }

    @Override
    public void closed(Session session) {
        heard.add("closed");
    }

    static void tell(Session session, String sql) throws SQLException {
        session.ours = true;
        try (Statement statement = ((Connection) session.connection()).createStatement()) {
            statement.execute(sql);
        } finally {
            session.ours = false;
        }
    }
}
