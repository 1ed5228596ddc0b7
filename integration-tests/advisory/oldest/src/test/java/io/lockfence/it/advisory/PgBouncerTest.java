/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.it.PgBouncer;
import io.lockfence.it.locks.Recorder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Case B20: a real pooler between the service and its database sessions. */
@Timeout(60)
class PgBouncerTest {
    private static Server server;

    private final Recorder recorder = new Recorder();

    @BeforeAll
    static void start() throws Exception {
        AdvisoryKind.weave();
        server = new Server();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void begin() {
        Seams.connect(recorder, new NoEffects(), recorder.faults::add);
    }

    @AfterEach
    void end() {
        recorder.close();
        assertThat(recorder.faults).as("faults of our own").isEmpty();
        assertThat(LeaseContext.active()).as("what is left active").isZero();
    }

    @Test
    void aLockThatWasTakenInAnotherSessionThanTheOneThatAnswersIsNoGuess() throws Exception {
        try (PgBouncer pooler = PgBouncer.start(server.port(), "transaction", true);
                Connection one = DriverManager.getConnection(pooler.url());
                Connection two = DriverManager.getConnection(pooler.url())) {
            twoSessions(one, two);

            run(one, "SELECT pg_advisory_lock(1)");

            Acquisition told = recorder.last().acquisition();
            assertThat(told.lock()).isEqualTo("1");
            assertThat(told.proof()).isNull();
            assertThat(told.failure()).contains("PgBouncer in transaction mode");
        }
    }

    @Test
    void aLeaseEndsWhenAnotherSessionAnswers() throws Exception {
        try (PgBouncer pooler = PgBouncer.start(server.port(), "transaction", false);
                Connection one = DriverManager.getConnection(pooler.url());
                Connection two = DriverManager.getConnection(pooler.url())) {
            twoSessions(one, two);
            // The session that was used last is used next, as long as nobody else has it.
            run(one, "SELECT pg_advisory_lock(1)");
            Lease lease = recorder.last().lease();
            assertThat(lease.death()).isNull();
            two.setAutoCommit(false);
            run(two, "SELECT 1");

            run(one, "SELECT pg_try_advisory_lock(2)");

            assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
            assertThat(lease.deathCause()).contains("another backend answers");
            two.rollback();
        }
    }

    @Test
    void aLockOfTheTransactionIsFencedInTransactionMode() throws Exception {
        try (PgBouncer pooler = PgBouncer.start(server.port(), "transaction", true);
                Connection one = DriverManager.getConnection(pooler.url());
                Connection two = DriverManager.getConnection(pooler.url())) {
            twoSessions(one, two);
            one.setAutoCommit(false);
            for (int i = 0; i < 4; i++) {
                run(one, "SELECT pg_advisory_xact_lock(1)");
                Lease lease = List.of(LeaseContext.current()).get(0);
                one.commit();

                assertThat(lease.death()).as("in round " + i).isNull();
                assertThat(lease.released()).isTrue();
            }
            assertThat(recorder.begun)
                    .extracting(began -> began.lease().token())
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .hasSize(4);
        }
    }

    @Test
    void sessionModeIsAsWithoutAPooler() throws Exception {
        try (PgBouncer pooler = PgBouncer.start(server.port(), "session", true);
                Connection one = DriverManager.getConnection(pooler.url())) {
            run(one, "SELECT pg_advisory_lock(1)");
            Lease lease = recorder.last().lease();
            run(one, "SELECT pg_advisory_lock(2)");
            run(one, "SELECT pg_advisory_unlock(1)");

            assertThat(lease.death()).isNull();
            assertThat(lease.released()).isTrue();
        }
    }

    /** Has the pooler open two sessions. */
    private static void twoSessions(Connection one, Connection two) throws SQLException {
        for (Connection each : List.of(one, two)) {
            each.setAutoCommit(false);
            run(each, "SELECT 1");
        }
        for (Connection each : List.of(one, two)) {
            each.rollback();
            each.setAutoCommit(true);
        }
    }

    private static void run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }
}
