/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.it.locks.Recorder;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every way in and out, and what the service's transactions and connections do to it. */
@Timeout(60)
class WaysOfLockingTest {
    private static Server server;

    private final Recorder recorder = new Recorder();
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final List<Connection> opened = new ArrayList<>();
    private Connection connection;

    @BeforeAll
    static void start() throws Exception {
        AdvisoryKind.weave();
        server = new Server();
        server.execute("CREATE DATABASE bare");
        server.execute("CREATE ROLE plain LOGIN; CREATE SCHEMA fake;"
                + " CREATE FUNCTION fake.pg_advisory_lock(bigint) RETURNS void LANGUAGE sql AS '';"
                + " CREATE TABLE jobs (id bigint PRIMARY KEY); INSERT INTO jobs SELECT generate_series(1, 100)");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void begin() throws Exception {
        Seams.connect(recorder, new NoEffects(), recorder.faults::add);
        server.execute("SELECT setval('lockfence.token', 1)");
        connection = open(server.url());
    }

    @AfterEach
    void end() throws Exception {
        other.shutdownNow();
        for (Connection each : opened) {
            each.close();
        }
        recorder.close();
        assertThat(recorder.faults).as("faults of our own").isEmpty();
        assertThat(LeaseContext.active()).as("what is left active").isZero();
    }

    private Connection open(String url) throws SQLException {
        Connection fresh = DriverManager.getConnection(url);
        opened.add(fresh);
        return fresh;
    }

    @Test
    void whateverTheTextTheLockIsTheOneThatTheServerHas() throws Exception {
        run("SELECT pg_advisory_lock(42)");
        run("select PG_CATALOG.pg_Try_Advisory_Lock (-42) AS ok");
        run("SELECT pg_advisory_lock(7, -8)");
        run("SELECT pg_advisory_lock(id) FROM jobs WHERE id IN (3, 4)");
        run("SELECT pg_try_advisory_lock(hashtext('orders'))");
        run("SELECT pg_advisory_lock(100 + 1), pg_try_advisory_lock(102)");
        run("/* pg_advisory_lock(1) */ SELECT 1; SELECT pg_advisory_lock(-9223372036854775808)");
        try (CallableStatement call = connection.prepareCall("{call pg_advisory_lock(?)}")) {
            call.setLong(1, 55);
            call.execute();
        }
        try (PreparedStatement two = connection.prepareStatement("SELECT pg_try_advisory_lock(?, ?)")) {
            two.setInt(1, -1);
            two.setInt(2, 2);
            two.execute();
        }

        assertThat(names())
                .startsWith("42", "-42", "7/-8")
                .contains("3", "4", "101", "102", "-9223372036854775808", "55", "-1/2")
                .hasSize(11);
        assertThat(recorder.begun).allSatisfy(began -> {
            assertThat(began.acquisition().failure()).isNull();
            assertThat(began.lease().token()).isPositive();
        });
        run("SELECT pg_advisory_unlock_all()");
        assertThat(here()).isEmpty();
    }

    @Test
    void anAttemptThatFailsBeginsNoLeaseAndItsResultIsStillThere() throws Exception {
        Connection holder = open(server.url());
        run(holder, "SELECT pg_advisory_lock(42)");

        assertThat(ask("SELECT pg_try_advisory_lock(42)")).isEqualTo("f");

        assertThat(recorder.begun).hasSize(1);
    }

    @Test
    void textsAndCommentsThatOnlyNameTheFunctionsAskNothing() throws Exception {
        run("SELECT 'pg_advisory_lock(42)' -- pg_advisory_lock(42)");

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void aLockOfTheTransactionEndsWithIt() throws Exception {
        connection.setAutoCommit(false);
        run("SELECT pg_advisory_xact_lock(1)");
        Lease first = here().get(0);
        connection.commit();
        assertThat(here()).isEmpty();
        assertThat(first.released()).isTrue();
        assertThat(first.death()).isNull();

        run("SELECT pg_advisory_xact_lock(1)");
        assertThat(here().get(0).token()).isGreaterThan(first.token());
        connection.rollback();
        assertThat(here()).isEmpty();

        run("SELECT pg_try_advisory_xact_lock(1)");
        assertThat(here()).hasSize(1);
        run("COMMIT AND CHAIN");
        assertThat(here()).isEmpty();
    }

    @Test
    void aRollbackToASavepointEndsWhatWasTakenBehindIt() throws Exception {
        connection.setAutoCommit(false);
        run("SELECT pg_advisory_xact_lock(1)");
        Savepoint savepoint = connection.setSavepoint();
        run("SELECT pg_advisory_xact_lock(2)");
        run("SELECT pg_advisory_lock(3)");
        connection.rollback(savepoint);

        assertThat(here()).extracting(Lease::lock).containsExactly("1", "3");
        connection.rollback();
        assertThat(here()).extracting(Lease::lock).containsExactly("3");
    }

    @Test
    void inAutocommitALockOfTheTransactionIsOverAtOnce() throws Exception {
        run("SELECT pg_advisory_xact_lock(1)");

        assertThat(recorder.begun).isEmpty();
    }

    @Test
    void aLockOfTheSessionOutlivesTheTransactionThatTookIt() throws Exception {
        connection.setAutoCommit(false);
        run("SELECT pg_advisory_lock(1)");
        connection.rollback();

        assertThat(here()).hasSize(1);
        run("SELECT pg_advisory_unlock(1)");
        assertThat(here()).isEmpty();
    }

    @Test
    void takenForTheTransactionAndThenForTheSessionItStaysAfterTheTransaction() throws Exception {
        connection.setAutoCommit(false);
        run("SELECT pg_advisory_xact_lock(1)");
        Lease lease = here().get(0);
        run("SELECT pg_advisory_lock(1)");
        connection.commit();

        assertThat(here()).containsExactly(lease);
    }

    @Test
    void anUnlockOfWhatIsNotHeldIsReportedAlways() throws Exception {
        assertThat(ask("SELECT pg_advisory_unlock(42)")).isEqualTo("f");
        assertThat(recorder.of("not held")).extracting(Recorder.Event::why).containsExactly("42");

        run("SELECT pg_advisory_lock(1)");
        Lease lease = here().get(0);
        Connection wrong = open(server.url());
        run(wrong, "SELECT pg_advisory_unlock(1)");

        assertThat(recorder.of("not held")).extracting(Recorder.Event::why).containsExactly("42", "1");
        assertThat(lease.released()).as("the thread believes it no more").isTrue();
        assertThat(here()).isEmpty();
    }

    @Test
    void anUnlockThatIsOneTooManyIsReported() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        assertThat(ask("SELECT pg_advisory_unlock(1)")).isEqualTo("t");
        assertThat(recorder.count("not held")).isZero();

        assertThat(ask("SELECT pg_advisory_unlock(1)")).isEqualTo("f");

        assertThat(recorder.count("not held")).isEqualTo(1);
    }

    @Test
    void discardAllAndCloseGiveBack() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease lease = here().get(0);
        run("DISCARD ALL");
        assertThat(lease.released()).isTrue();
        assertThat(lease.death()).isNull();

        run("SELECT pg_advisory_lock(1)");
        Lease next = here().get(0);
        connection.close();
        assertThat(next.released()).isTrue();
        assertThat(next.death()).isNull();
        assertThat(here()).isEmpty();
    }

    @Test
    void aConnectionThatIsAbortedOrClosedByOthersLosesTheLock() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease lease = here().get(0);
        connection.abort(Runnable::run);
        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(lease.released()).isFalse();
        assertThat(here()).as("the service has not given it back").containsExactly(lease);

        Connection second = open(server.url());
        run(second, "SELECT pg_advisory_lock(2)");
        Lease other2 = recorder.last().lease();
        elsewhere(() -> {
            second.close();
            return null;
        });
        assertThat(other2.death()).isEqualTo(Lease.Death.LOST);
        assertThat(other2.released()).isFalse();
    }

    @Test
    void aKilledBackendIsALossAndWhoeverTakesTheLockAnewIsRidOfIt() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease lease = here().get(0);
        server.kill(1);

        assertThatThrownBy(() -> run("SELECT 1")).isInstanceOf(SQLException.class);

        // What has nothing to do with locks is looked at for its connection's end alone.
        run(open(server.url()), "SELECT pg_advisory_lock(1)");
        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.last().lease().token()).isGreaterThan(lease.token());
        assertThat(recorder.count("followed")).isEqualTo(1);
        recorder.releasing(lease.owner());
    }

    @Test
    void anotherThreadOnTheSameConnectionDoesNotShareTheLease() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease first = here().get(0);

        Lease second = elsewhere(() -> {
            run("SELECT pg_advisory_lock(1)");
            return List.of(LeaseContext.current()).get(0);
        });

        assertThat(second).isNotSameAs(first);
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(first.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.degraded).anyMatch(why -> why.contains("two threads"));
    }

    @Test
    void anotherThreadIsFoundOutAlsoWhereTheNumberIsComputed() throws Exception {
        run("SELECT pg_advisory_lock(hashtext('x'))");
        Lease first = here().get(0);

        elsewhere(() -> {
            run("SELECT pg_advisory_lock(hashtext('x'))");
            return null;
        });

        assertThat(first.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.begun).hasSize(2);
    }

    @Test
    void anotherThreadThatFailsToGetAnotherLockLeavesTheFirstAlone() throws Exception {
        run(open(server.url()), "SELECT pg_advisory_lock(2)");
        run("SELECT pg_advisory_lock(1)");
        Lease first = recorder.last().lease();

        elsewhere(() -> {
            assertThat(ask("SELECT pg_try_advisory_lock(2)")).isEqualTo("f");
            assertThat(ask("SELECT pg_try_advisory_lock(3)")).isEqualTo("t");
            return null;
        });

        assertThat(first.death()).isNull();
        assertThat(names()).containsExactly("2", "1", "3");
    }

    @Test
    void givenBackAndTakenInOneTextItIsAnotherHold() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease first = here().get(0);

        run("SELECT pg_advisory_unlock(1), pg_advisory_lock(1)");

        assertThat(first.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.last().lease().token()).isGreaterThan(first.token());
    }

    @Test
    void nothingIsAskedInAFailedTransaction() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Lease lease = here().get(0);
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> run("SELECT pg_advisory_unlock(1), 1 / 0")).hasMessageContaining("zero");
        assertThatThrownBy(() -> run("SELECT pg_advisory_lock(2)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
        connection.rollback();
        connection.setAutoCommit(true);
        run("SELECT 1");

        // PostgreSQL gave it back before the statement failed.
        boolean held = count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1") == 1;
        assertThat(lease.death() == null && !lease.released()).isEqualTo(held);
        assertThat(names()).containsExactly("1");
    }

    @Test
    void whereTheDatabaseHasNoFenceTheLeaseIsUnusableAndTheTransactionGoesOn() throws Exception {
        Connection bare = open(server.url().replace("/postgres?", "/bare?"));
        bare.setAutoCommit(false);

        run(bare, "SELECT pg_advisory_lock(1)");

        Acquisition told = recorder.last().acquisition();
        assertThat(told.proof()).isNull();
        assertThat(told.failure()).contains("lockfence.jar ddl --database postgresql");
        run(bare, "SELECT 1");
        bare.commit();
        run(bare, "SELECT pg_advisory_unlock(1)");
        assertThat(here()).isEmpty();
    }

    @Test
    void whereTheUserMayNotUseTheFenceTheLeaseIsUnusableAndSaysWhatToGrant() throws Exception {
        Connection plain = open(server.url().replace("user=postgres", "user=plain"));
        plain.setAutoCommit(false);

        run(plain, "SELECT pg_advisory_xact_lock(1)");

        assertThat(recorder.last().acquisition().failure()).contains("GRANT USAGE ON SCHEMA lockfence");
        run(plain, "SELECT 1");
        plain.commit();
        assertThat(here()).isEmpty();
    }

    @Test
    void aReadOnlyTransactionIsNotBrokenByTheQuestion() throws Exception {
        connection.setReadOnly(true);
        connection.setAutoCommit(false);

        run("SELECT pg_advisory_lock(1)");

        assertThat(recorder.last().acquisition().failure()).contains("read-only");
        run("SELECT 1");
        connection.commit();
    }

    @Test
    void aSnapshotThatIsOlderSeesTheLock() throws Exception {
        for (int level : new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            connection.setTransactionIsolation(level);
            connection.setAutoCommit(false);
            run("SELECT count(*) FROM jobs");

            run("SELECT pg_advisory_xact_lock(" + level + ")");

            assertThat(recorder.last().acquisition().failure()).isNull();
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(recorder.begun).hasSize(2);
    }

    @Test
    void aLockThatTheSessionDoesNotHoldIsNoGuess() throws Exception {
        run("SET search_path = fake, pg_catalog, public");

        run("SELECT pg_advisory_lock(42)");

        Acquisition told = recorder.last().acquisition();
        assertThat(told.lock()).isEqualTo("42");
        assertThat(told.proof()).isNull();
        assertThat(told.failure()).contains("PgBouncer in transaction mode");
        assertThat(here()).as("it stays until its unlock").hasSize(1);
        run("SELECT pg_advisory_unlock(42)");
        assertThat(here()).isEmpty();
    }

    @Test
    void sharedLocksAreReportedAsNotFenced() throws Exception {
        run("SELECT pg_advisory_lock_shared(1)");

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.unsupported).hasSize(1).allMatch(line -> line.endsWith(" 1"));
    }

    @Test
    void aStreamingResultIsNotDisturbed() throws Exception {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(10);
            try (ResultSet rows = statement.executeQuery("SELECT id FROM jobs ORDER BY id")) {
                int count = 0;
                while (rows.next()) {
                    if (++count == 5) {
                        run("SELECT pg_advisory_lock(1)");
                    }
                }
                assertThat(count).isEqualTo(100);
            }
        }
        assertThat(here()).hasSize(1);
    }

    @Test
    void theTokenIsRaisedOnlyWhileTheLockIsHeld() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Acquisition told = recorder.last().acquisition();
        long far = told.proof().token() + TimeUnit.DAYS.toMicros(365);

        Proof raised = told.coordinator().raiseAbove(far).toCompletableFuture().get();

        assertThat(raised.held()).isTrue();
        assertThat(raised.token()).isGreaterThan(far);
        run("SELECT pg_advisory_unlock(1)");
        run("SELECT pg_advisory_lock(1)");
        assertThat(here().get(0).token()).as("the next owner's").isGreaterThan(raised.token());
        run("SELECT pg_advisory_unlock(1)");
        assertThat(told.coordinator().raiseAbove(1).toCompletableFuture().get().held())
                .isFalse();
    }

    @Test
    void onlyTheThreadThatTookItMayAskOnItsConnection() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        Acquisition told = recorder.last().acquisition();

        assertThatThrownBy(() -> elsewhere(
                        () -> told.coordinator().ask().toCompletableFuture().get()))
                .hasRootCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCounterThatWasLostGoesOnAboveByTheClock() throws Exception {
        run("SELECT pg_advisory_lock(1)");
        long before = here().get(0).token();
        run("SELECT pg_advisory_unlock(1)");
        server.execute("SELECT setval('lockfence.token', 1)");

        run("SELECT pg_advisory_lock(1)");

        assertThat(here().get(0).token()).isGreaterThan(before);
    }

    @Test
    void aCounterThatIsAheadOfTheClockDoesNotGoBackToIt() throws Exception {
        long far = TimeUnit.DAYS.toMicros(365 * 200);
        server.execute("SELECT setval('lockfence.token', " + far + ")");

        run("SELECT pg_advisory_lock(1)");

        assertThat(here().get(0).token()).isGreaterThan(far);
    }

    @Test
    void whatIsGivenToAPoolWithTheLockIsReported() throws Exception {
        run("SELECT pg_advisory_lock(1)");

        Seams.givenBack(connection);

        assertThat(recorder.of("given away")).hasSize(1);
        assertThat(here().get(0).death()).isNull();
    }

    @Test
    void everyLockOfABatchIsSeen() throws Exception {
        try (PreparedStatement batch =
                connection.prepareStatement("UPDATE jobs SET id = id WHERE id = 1 AND pg_try_advisory_lock(?)")) {
            for (long key = 11; key <= 13; key++) {
                batch.setLong(1, key);
                batch.addBatch();
            }
            batch.executeBatch();
        }

        assertThat(names()).containsExactlyInAnyOrder("11", "12", "13");
    }

    private void run(String sql) throws SQLException {
        run(connection, sql);
    }

    private static void run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private long count(String sql) throws SQLException {
        return Long.parseLong(ask(sql));
    }

    private List<String> names() {
        return recorder.begun.stream().map(began -> began.acquisition().lock()).toList();
    }

    private static List<Lease> here() {
        return List.of(LeaseContext.current());
    }

    private <T> T elsewhere(Callable<T> work) throws Exception {
        try {
            return other.submit(work).get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }
}
