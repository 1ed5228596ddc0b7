/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.postgresql.AdvisoryHold.State;
import io.lockfence.instrumentation.postgresql.AdvisoryQuestion.Answer;
import io.lockfence.instrumentation.postgresql.AdvisoryQuestion.Held;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Does;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** A statement was answered: the session says which locks it has now, and the books follow. */
final class AdvisoryAnswers {
    private static final String NAME = AdvisoryLocksLibrary.NAME;

    /** The server grants for as long as the session lives: no service has one for twenty years. */
    static final long AS_LONG_AS_THE_SESSION = TimeUnit.DAYS.toNanos(20 * 365);

    private static final String POOLER =
            "a pooler between, such as PgBouncer in transaction mode, gives each transaction another session. Take the lock on a connection that keeps its session, or for"
                    + " the transaction (pg_advisory_xact_lock)";

    private final AdvisoryCall call;
    private final AdvisoryHolds holds;
    private final AdvisoryText text;
    private final PgSession session;
    private final Object executor;
    private final boolean failed;
    private final LeaseEvents events = Seams.leaseEvents();

    /** @param thrown what the statement failed with; null if it did not */
    AdvisoryAnswers(AdvisoryCall call, Object executor, Throwable thrown) {
        this.call = call;
        this.holds = call.holds();
        this.text = call.text();
        this.session = holds.session();
        this.executor = executor;
        this.failed = thrown != null;
    }

    void ask() throws Throwable {
        // Until the books are right, no other thread's statement may come between.
        Lock held = session.driver.lock(executor);
        if (held != null) {
            held.lock();
        }
        try {
            if (mayAsk()) {
                askHere();
            } else {
                unasked();
            }
        } finally {
            if (held != null) {
                held.unlock();
            }
        }
    }

    /** Whether anything may be sent: not if every lock that it can be about is only observed. */
    private boolean mayAsk() {
        if (!events.asksAny(NAME)) {
            return false;
        }
        List<String> names = new ArrayList<>(call.taken());
        for (AdvisoryHold hold : holds.all()) {
            if (hold.leased()) {
                names.add(hold.name());
            }
        }
        if (names.isEmpty() || !call.namesAll()) {
            return true;
        }
        for (String name : names) {
            if (events.asks(NAME, name)) {
                return true;
            }
        }
        return false;
    }

    private void askHere() throws Throwable {
        if (!(session.connection() instanceof Connection connection) || !canBeAsked(connection)) {
            holds.uncertain(!holds.isEmpty());
            if (text.locks() && !failed) {
                events.degraded(
                        NAME,
                        "a text that takes locks left its session where it cannot be asked, as after a COMMIT in the same text with autocommit off: those of the session"
                                + " have no lease; send them by themselves");
            }
            return;
        }
        Answer answer;
        try {
            answer = question(connection, known());
        } catch (SQLException e) {
            couldNotBeAsked(e);
            return;
        }
        holds.answeredBy(answer.backend());
        ended(answer);
        if (!failed) {
            begun(connection, answer);
            shared(answer);
        }
        holds.uncertain(false);
    }

    /** Not in a failed transaction, nor amid a COPY; and not where the question would open a transaction. */
    private boolean canBeAsked(Connection connection) throws Throwable {
        return !session.driver.failed(executor)
                && !session.busy()
                && (session.driver.open(executor) || connection.getAutoCommit());
    }

    /** The names that need no number: those whose hold is the same as before. */
    private List<String> known() {
        List<String> known = new ArrayList<>();
        for (AdvisoryHold hold : holds.all()) {
            if (hold.state() == State.HELD && !mayBeAnew(hold)) {
                known.add(hold.name());
            }
        }
        return known;
    }

    /** Another thread takes it once more, or it was given back and taken in one text: somebody else may have had it between. */
    private boolean mayBeAnew(AdvisoryHold hold) {
        return hold.leased()
                && !failed
                && text.locks()
                && (call.namesAsTaken(hold.name()) && !hold.ofThisThread()
                        || call.mayTake(hold.name()) && call.mayGiveBack(hold.name()));
    }

    private Answer question(Connection connection, List<String> known) throws SQLException {
        boolean before = session.ours;
        session.ours = true;
        try {
            boolean numbers = text.locks() && !failed;
            if (!numbers) {
                return AdvisoryQuestion.held(connection);
            }
            if (!holds.numbers) {
                Answer answer = AdvisoryQuestion.held(connection);
                if (answer.problem() != null) {
                    return answer;
                }
                holds.numbers = true;
                holds.answeredBy(answer.backend());
            }
            return AdvisoryQuestion.numbered(connection, known, 0L);
        } finally {
            session.ours = before;
        }
    }

    /** What is not there any more was given back, if the statement can have done that; else it was lost. */
    private void ended(Answer answer) {
        for (AdvisoryHold hold : holds.all()) {
            boolean givenBack = call.mayGiveBack(hold.name());
            if (hold.state() != State.HELD) {
                if (givenBack) {
                    holds.release(hold);
                }
            } else if (answer.of(hold.name()) == null) {
                if (hold.ofTransaction() && text.endsTransaction() || givenBack && call.notHeld() == 0) {
                    holds.release(hold);
                } else {
                    holds.lose(hold, "the session that took it does not hold it any more");
                    if (givenBack) {
                        holds.release(hold);
                    }
                }
            }
        }
    }

    private void begun(Connection connection, Answer answer) throws SQLException {
        if (!text.locks()) {
            return;
        }
        boolean any = false;
        for (Held held : answer.held()) {
            AdvisoryHold hold = held.shared() ? null : holds.of(held.name());
            if (held.shared()) {
                continue;
            }
            if (hold == null || hold.state() != State.HELD || mayBeAnew(hold)) {
                any |= begin(held, answer);
            } else if (hold.ofThisThread() && text.ofSession() && call.mayTake(held.name())) {
                hold.takenForSession();
            }
        }
        if (!any && !call.namesAll() && text.waits()) {
            byAnotherThread(connection);
        }
        String must = call.mustHold();
        if (must != null && answer.of(must) == null && events.watches(NAME, must)) {
            begin(
                    must,
                    null,
                    "PostgreSQL said that the lock was taken, but the session that answers on this connection now (process "
                            + answer.backend() + ") does not hold it: " + POOLER,
                    State.UNPROVEN);
        }
    }

    /** A call that waits has returned, and there is no lock that was not there before: one that another thread took was entered once more. */
    private void byAnotherThread(Connection connection) throws SQLException {
        List<AdvisoryHold> others = new ArrayList<>();
        for (AdvisoryHold hold : holds.all()) {
            if (hold.leased() && hold.state() == State.HELD) {
                if (hold.ofThisThread()) {
                    return;
                }
                others.add(hold);
            }
        }
        if (others.size() == 1) {
            List<String> known = known();
            known.remove(others.get(0).name());
            Answer again = question(connection, known);
            Held held = again.of(others.get(0).name());
            if (held != null) {
                begin(held, again);
            }
        } else if (!others.isEmpty()) {
            events.degraded(
                    NAME,
                    "a thread has entered a lock once more that another thread took on the same connection, and which of several cannot be told: its work is not"
                            + " fenced; give each thread a connection of its own, or the lock's number as a parameter of its own");
        }
    }

    /** Returns whether a hold was put down. */
    private boolean begin(Held held, Answer answer) {
        if (!call.mayTake(held.name())) {
            // Held from before, by a statement that was not seen.
            return false;
        }
        if (!events.watches(NAME, held.name())) {
            holds.put(new AdvisoryHold(
                    held.name(), holds.owner(held.name()), false, text.ofTransactionOnly(), State.HELD));
            return true;
        }
        AdvisoryHold before = holds.of(held.name());
        if (before != null && before.state() == State.HELD && !before.ofThisThread()) {
            events.degraded(
                    NAME,
                    "two threads hold one lock on one connection, which PostgreSQL does not keep apart: the lease of the first was lost to the second; give each"
                            + " thread a connection of its own");
        }
        boolean asks = events.asks(NAME, held.name());
        String failure = asks && held.token() == 0 ? failure(answer.problem()) : null;
        boolean swapped = holds.swaps() && text.ofSession();
        if (swapped) {
            failure = "no session can be told to hold the lock: " + POOLER;
        }
        Proof proof = failure == null
                ? new Proof(answer.sentAt(), true, asks ? held.token() : 0, AS_LONG_AS_THE_SESSION, 1)
                : null;
        begin(held.name(), proof, failure, swapped ? State.UNPROVEN : State.HELD);
        return true;
    }

    private void begin(String name, Proof proof, String failure, State state) {
        List<AdvisoryHold> earlier = AdvisoryHolds.ofThisThread(name);
        String owner = holds.owner(name);
        Lease lease = events.acquired(new Acquisition(
                NAME,
                name,
                owner,
                LeaseContext.ofCurrentThread(),
                false,
                proof,
                failure,
                false,
                new AdvisoryCoordinator(holds, name)));
        if (lease == null) {
            return;
        }
        holds.put(new AdvisoryHold(name, owner, true, text.ofTransactionOnly(), state));
        for (AdvisoryHold hold : earlier) {
            if (hold.state() == State.LOST && !hold.owner().equals(owner)) {
                AdvisoryHolds.forget(hold);
                events.followed(hold.owner());
            }
        }
        if (session.closed()) {
            holds.connectionEnded();
        }
    }

    /** In words for the service's operator. */
    static String failure(String problem) {
        return "no token can be had for an advisory lock: "
                + switch (problem == null ? "" : problem) {
                    case "missing" ->
                        "its database has no fence, or one of an older version; run what `java -jar lockfence.jar ddl --database postgresql` prints in the database"
                                + " that the lock is taken in, once";
                    case "rights" ->
                        "the user that takes it may not use the fence of its database; run there: GRANT USAGE ON SCHEMA lockfence TO the user; GRANT EXECUTE ON ALL"
                                + " ROUTINES IN SCHEMA lockfence TO the user";
                    case "read_only" ->
                        "it was taken in a read-only transaction, where PostgreSQL issues no numbers; take it before that transaction";
                    case "standby" ->
                        "it was taken on a server in recovery, whose locks nobody else sees; take it on the primary";
                    default -> "the database issued none";
                };
    }

    private void shared(Answer answer) {
        if (!text.shares()) {
            return;
        }
        for (Held held : answer.held()) {
            if (held.shared() && call.mayShare(held.name()) && events.watches(NAME, held.name())) {
                events.unsupported(NAME, "pg_advisory_lock_shared (readers)", held.name());
            }
        }
    }

    private void couldNotBeAsked(SQLException e) {
        holds.uncertain(!holds.isEmpty());
        String why = "PostgreSQL could not be asked which locks the session holds: " + e.getMessage();
        if (!failed && text.locks()) {
            String must = call.mustHold();
            if (must == null) {
                events.degraded(NAME, why);
            } else if (events.watches(NAME, must) && holds.of(must) == null) {
                begin(must, null, why, State.UNPROVEN);
            }
        }
    }

    /** What can be told without a question: calls that wait and say their lock's number. */
    private void unasked() throws Throwable {
        boolean open = session.driver.open(executor);
        if (text.discards() && !failed) {
            holds.all().forEach(holds::release);
        }
        for (int i = 0; i < text.calls().size() && !failed; i++) {
            AdvisoryText.Call each = text.calls().get(i);
            String name = call.name(i);
            AdvisoryHold hold = name == null ? null : holds.of(name);
            if (each.does() == Does.UNLOCK_ALL) {
                for (AdvisoryHold every : holds.all()) {
                    if (!every.ofTransaction()) {
                        holds.release(every);
                    }
                }
            } else if (each.does() == Does.UNLOCK && hold != null && !each.shared()) {
                if (hold.count(-1) <= 0) {
                    holds.release(hold);
                }
            } else if (each.does() == Does.LOCK && !each.shared() && name != null && (open || !each.transaction())) {
                if (hold != null) {
                    hold.count(1);
                } else if (events.watches(NAME, name)) {
                    begin(name, new Proof(System.nanoTime(), true, 0, AS_LONG_AS_THE_SESSION, 1), null, State.HELD);
                }
            }
        }
        holds.uncertain(false);
    }
}
