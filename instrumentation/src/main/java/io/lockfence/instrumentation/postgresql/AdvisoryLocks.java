/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.postgresql.AdvisoryHold.State;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What the statements of the service do to advisory locks, from before they are sent until they were answered; never throws into the service. */
final class AdvisoryLocks {
    private static final int DESCRIBE_ONLY = 1 << 5;

    /** The server's function that warns that a lock was not held; no text of its language tells that. */
    private static final String RELEASE = "LockRelease";

    static {
        Seams.onGivenBack(AdvisoryLocks::givenBack);
    }

    private AdvisoryLocks() {}

    /** Whether no rule names such locks. */
    static boolean off() {
        LeaseEvents events = Seams.leaseEvents();
        return events == null || !events.watchesAny(AdvisoryLocksLibrary.NAME);
    }

    /** Whether any session's next statement matters, whatever it says. */
    static boolean attentive() {
        return AdvisoryHolds.anyAttentive();
    }

    static Object sending(Object executor, Object query, Object parameters, int flags) throws Throwable {
        if ((flags & DESCRIBE_ONLY) != 0) {
            return null;
        }
        Pgjdbc driver = Pgjdbc.of(query);
        Object[] parts = driver.subqueries(query);
        return parts != null
                ? sending(executor, driver, text(driver, parts), null)
                : sending(executor, driver, AdvisoryText.of(driver.nativeSql(query)), parameters);
    }

    static Object sending(Object executor, Object[] queries, int flags) throws Throwable {
        if ((flags & DESCRIBE_ONLY) != 0 || queries.length == 0) {
            return null;
        }
        Pgjdbc driver = Pgjdbc.of(queries[0]);
        return sending(executor, driver, text(driver, queries), null);
    }

    private static AdvisoryText text(Pgjdbc driver, Object[] queries) throws Throwable {
        List<String> texts = new ArrayList<>(1);
        Object before = null;
        for (Object query : queries) {
            if (query == before) {
                continue;
            }
            before = query;
            Object[] parts = driver.subqueries(query);
            if (parts == null) {
                add(driver.nativeSql(query), texts);
            } else {
                for (Object part : parts) {
                    add(driver.nativeSql(part), texts);
                }
            }
        }
        return texts.isEmpty() ? AdvisoryText.NONE : AdvisoryText.of(texts);
    }

    private static void add(String text, List<String> texts) {
        if (AdvisoryText.of(text) != AdvisoryText.NONE) {
            texts.add(text);
        }
    }

    private static Object sending(Object executor, Pgjdbc driver, AdvisoryText text, Object parameters)
            throws Throwable {
        if (text == AdvisoryText.NONE && !AdvisoryHolds.anyAttentive()) {
            return null;
        }
        PgSession session = Sessions.of(executor);
        if (session == null || session.ours) {
            return null;
        }
        AdvisoryHolds holds = session.advisory();
        if (holds == null) {
            if (text.calls().isEmpty()) {
                return null;
            }
            holds = session.keepAdvisory();
        } else if (text == AdvisoryText.NONE && !holds.attentive()) {
            return null;
        }
        AdvisoryCall call = new AdvisoryCall(holds, text, AdvisoryCall.names(text, driver, parameters));
        holds.begins(call);
        guardBeforeRelease(call);
        return call;
    }

    /** Whether the statement ends a hold, only its answer tells; the guard at release comes before it. */
    private static void guardBeforeRelease(AdvisoryCall call) {
        AdvisoryHolds holds = call.holds();
        if (holds.isEmpty()) {
            return;
        }
        for (AdvisoryHold hold : holds.all()) {
            if (hold.leased() && call.mayGiveBack(hold.name())) {
                Seams.leaseEvents().mayRelease(hold.owner(), null);
            } else if (hold.leased() && hold.ofTransaction() && call.text().endsTransaction() && !holds.committing) {
                Seams.leaseEvents().mayRelease(hold.owner(), holds.session());
            }
        }
    }

    static void noticed(Object executor, Object warning) throws Throwable {
        PgSession session = Sessions.of(executor);
        AdvisoryHolds holds = session == null || session.ours ? null : session.advisory();
        AdvisoryCall call = holds == null ? null : holds.underWay();
        if (call != null && call.text().unlocks() && RELEASE.equals(session.driver.routine(warning))) {
            call.warned();
        }
    }

    static void sent(Object begun, Throwable thrown) throws Throwable {
        AdvisoryCall call = (AdvisoryCall) begun;
        AdvisoryHolds holds = call.holds();
        holds.ends(call);
        PgSession session = holds.session();
        Object executor = session.executor();
        if (thrown instanceof SQLException e && endsSession(e)) {
            holds.loseAll("its database session has ended: " + e.getMessage());
            giveUp(call);
            return;
        }
        if (executor == null || session.closed()) {
            holds.connectionEnded();
            giveUp(call);
            return;
        }
        if (call.notHeld() > 0) {
            notHeld(call);
        }
        boolean idle = session.driver.idle(executor);
        if (idle) {
            holds.transactionEnded();
        }
        if (isDue(call, idle, thrown)) {
            new AdvisoryAnswers(call, executor, thrown).ask();
        }
    }

    /** Whether the server has anything new to tell. */
    private static boolean isDue(AdvisoryCall call, boolean idle, Throwable thrown) {
        AdvisoryText text = call.text();
        AdvisoryHolds holds = call.holds();
        if (holds.uncertain()) {
            return true;
        }
        if (text.endsTransaction() && !idle && holds.hasOfTransaction()) {
            // To a savepoint, or AND CHAIN.
            return true;
        }
        if (text.unlocks() && !holds.isEmpty()) {
            return true;
        }
        boolean overWithTheStatement = idle && text.ofTransactionOnly();
        return text.locks() && thrown == null && !overWithTheStatement && watchesAny(call)
                || text.shares() && thrown == null;
    }

    private static boolean watchesAny(AdvisoryCall call) {
        if (!call.namesAll()) {
            return true;
        }
        for (String name : call.taken()) {
            if (Seams.leaseEvents().watches(AdvisoryLocksLibrary.NAME, name)) {
                return true;
            }
        }
        return false;
    }

    /** The unlock itself found the session gone: the service has done its part. */
    private static void giveUp(AdvisoryCall call) {
        for (AdvisoryHold hold : call.holds().all()) {
            if (hold.ofThisThread() && call.mayGiveBack(hold.name())) {
                call.holds().release(hold);
            }
        }
    }

    /** Told whether or not we know of a hold; what this thread believes to hold by that name, in whatever session, it believes no more. */
    private static void notHeld(AdvisoryCall call) {
        LeaseEvents events = Seams.leaseEvents();
        for (String name : call.givenBack()) {
            if (name == null) {
                events.notHeld(AdvisoryLocksLibrary.NAME, null);
                continue;
            }
            AdvisoryHold here = call.holds().of(name);
            if (events.watches(AdvisoryLocksLibrary.NAME, name)
                    && (here == null || call.givenBack().size() == 1)) {
                events.notHeld(AdvisoryLocksLibrary.NAME, name);
            }
            for (AdvisoryHold hold : AdvisoryHolds.ofThisThread(name)) {
                if (hold != here) {
                    AdvisoryHolds.forget(hold);
                    events.released(hold.owner());
                }
            }
            if (here != null && here.state() != State.HELD) {
                call.holds().release(here);
            } else if (here != null) {
                call.holds().uncertain(true);
            }
        }
    }

    static void committing(Object connection) throws Throwable {
        AdvisoryHolds holds = holds(connection);
        if (holds == null || !holds.hasOfTransaction()) {
            return;
        }
        holds.committing = true;
        for (AdvisoryHold hold : holds.all()) {
            if (hold.leased() && hold.ofTransaction()) {
                Seams.leaseEvents().mayRelease(hold.owner(), holds.session());
            }
        }
    }

    static void committed(Object connection) throws Throwable {
        AdvisoryHolds holds = holds(connection);
        if (holds == null) {
            return;
        }
        holds.committing = false;
        Object executor = holds.session().executor();
        if (executor == null || holds.session().closed()) {
            holds.connectionEnded();
        } else if (holds.session().driver.idle(executor)) {
            holds.transactionEnded();
        }
    }

    /** Returns what {@link #closed(Object)} is to be called with. */
    static Object closing(Object connection) throws Throwable {
        AdvisoryHolds holds = holds(connection);
        if (holds == null || holds.isEmpty()) {
            return null;
        }
        holds.closing(Thread.currentThread());
        for (AdvisoryHold hold : holds.all()) {
            if (hold.leased() && hold.state() == State.HELD && hold.ofThisThread()) {
                Seams.leaseEvents().mayRelease(hold.owner(), holds.session());
            }
        }
        return holds;
    }

    static void closed(Object holds) {
        if (holds instanceof AdvisoryHolds closed) {
            closed.connectionEnded();
            closed.closing(null);
        }
    }

    /** The driver has closed or aborted it, on whatever thread. */
    static void closed(PgSession session) {
        AdvisoryHolds holds = session.advisory();
        if (holds != null && !holds.isEmpty()) {
            holds.connectionEnded();
        }
    }

    private static void givenBack(Object connection) {
        try {
            AdvisoryHolds holds =
                    connection.getClass().getName().equals(PostgresLibrary.CONNECTION) ? holds(connection) : null;
            if (holds == null) {
                return;
            }
            for (AdvisoryHold hold : holds.all()) {
                if (hold.state() == State.LOST && hold.ofThisThread()) {
                    holds.release(hold);
                } else if (hold.leased() && hold.state() == State.HELD) {
                    Seams.leaseEvents().givenAway(hold.owner(), "its pool");
                }
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static AdvisoryHolds holds(Object connection) throws Throwable {
        PgSession session = Sessions.ofConnection(connection);
        return session == null || session.ours ? null : session.advisory();
    }

    /** The server has ended it, or the connection is broken. */
    private static boolean endsSession(SQLException e) {
        String state = e.getSQLState();
        return state != null
                && (state.startsWith("08")
                        || state.equals("57P01")
                        || state.equals("57P02")
                        || state.equals("57P05")
                        || state.equals("25P03")
                        || state.equals("25P04"));
    }
}
