/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static io.lockfence.it.postgresql.Fenced.assertRefused;
import static io.lockfence.it.postgresql.Fenced.execute;
import static io.lockfence.it.postgresql.Fenced.read;
import static io.lockfence.it.postgresql.Fenced.stock;
import static io.lockfence.it.postgresql.Fenced.supersede;
import static io.lockfence.it.postgresql.Fenced.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions under a lease: claim before the first access, guard at every way to commit, and what a refusal leaves. */
@SuppressWarnings("try") // locks are taken to be held, not to be used
class FencedTransactionIT {
    private interface Ending {
        void commit(Connection connection) throws SQLException;
    }

    private record Commit(String name, Ending ending) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Commit> commits() {
        return List.of(
                new Commit("commit()", Connection::commit),
                new Commit("setAutoCommit(true)", connection -> connection.setAutoCommit(true)),
                new Commit("COMMIT", connection -> execute(connection, "COMMIT")),
                new Commit("END as text", connection -> execute(connection, "end /* of it */ transaction")),
                new Commit("COMMIT AND CHAIN", connection -> execute(connection, "COMMIT AND CHAIN")));
    }

    static List<String> versions() {
        return Fenced.versions();
    }

    Fenced fenced() {
        return Fenced.enforced();
    }

    @BeforeEach
    void freshTable() throws SQLException {
        Fenced.freshTable();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void theFenceIsClaimedBeforeTheFirstReadAndSurvivesTheRollback(String version) throws Exception {
        try (Fenced fenced = Fenced.enforced(version);
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            Fenced.Hold hold = fenced.lock("1");
            execute(connection, "set application_name = 'x'");
            assertThat(Fenced.fence("1")).as("a setting claims nothing").isNull();
            read(connection);
            assertThat(Fenced.fence("1")).isEqualTo(hold.token + "/order:1");
            connection.rollback();
            assertThat(Fenced.fence("1")).isEqualTo(hold.token + "/order:1");
            hold.unlock();
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @MethodSource("commits")
    void aHealthyHolderCommits(Commit commit) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
                commit.ending.commit(connection);
            }
            assertThat(stock()).isEqualTo(1);
            execute(connection, "ROLLBACK");
            fenced.assertNothingLeft();
            assertThat(fenced.counters().refused())
                    .as("refusals of a healthy holder")
                    .allSatisfy((kind, count) -> assertThat(count).isZero());
        }
    }

    @ParameterizedTest
    @MethodSource("commits")
    void aSupersededHolderIsRefusedAtTheCommit(Commit commit) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
                supersede("1");
                assertThat(assertRefused("LF001", () -> commit.ending.commit(connection)))
                        .contains("orders/1", String.valueOf(hold.token), "another JVM");
                assertThat(stock()).isZero();
                assertRefused("LF001", () -> read(connection));
                connection.rollback();
            }
            assertThat(fenced.counters().refused().get(Refusal.STALE)).isPositive();
            write(connection, 7);
            connection.commit();
            assertThat(stock()).as("the connection is usable").isEqualTo(7);
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "autosave=always",
                "autosave=conservative",
                "preferQueryMode=simple",
                "prepareThreshold=1",
                "prepareThreshold=-1",
                "preferQueryMode=extendedCacheEverything",
                "cleanupSavepoints=true"
            })
    void aSupersededHolderIsRefusedUnderEveryOptionOfTheDriver(String option) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect(option)) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
                connection.commit();
                write(connection, read(connection) + 1);
                supersede("1");
                assertRefused("LF001", connection::commit);
                assertThatThrownBy(connection::commit).as("until the rollback").isInstanceOf(SQLException.class);
                connection.rollback();
                connection.commit();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_UNCOMMITTED,
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void everyIsolationLevelIsGuarded(int level) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setTransactionIsolation(level);
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
                connection.commit();
                write(connection, read(connection) + 1);
                supersede("1");
                assertRefused("LF001", connection::commit);
                connection.rollback();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aSnapshotFromBeforeTheLockIsRefused(int level) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setTransactionIsolation(level);
            connection.setAutoCommit(false);
            execute(connection, "select 1 from item");
            Database.run("update item set stock = 5 where name = 'counter'");
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertRefused("LF008", () -> {
                    write(connection, read(connection) + 1);
                    connection.commit();
                });
                connection.rollback();
                write(connection, read(connection) + 1);
                connection.commit();
            }
            assertThat(stock()).isEqualTo(6);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aTransactionThatOnlyReadsNeedsNoGuard() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                read(connection);
                supersede("1");
                connection.commit();
            }
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aReadOnlyConnectionReadsUnderALease() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertThat(read(connection)).isZero();
                connection.commit();
                assertThatThrownBy(() -> write(connection, 1))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("25006"));
                connection.rollback();
            }
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"autosave=never", "autosave=always"})
    void savepointsDoNotUndoTheGuard(String autosave) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect(autosave)) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                Savepoint before = connection.setSavepoint();
                write(connection, 1);
                connection.rollback(before);
                write(connection, 2);
                assertThatThrownBy(() -> {
                            Savepoint inner = connection.setSavepoint("inner");
                            try {
                                execute(connection, "insert into item(name, stock) values ('bad', -1)");
                            } finally {
                                connection.rollback(inner);
                            }
                        })
                        .isInstanceOf(SQLException.class);
                connection.commit();
                assertThat(stock()).isEqualTo(2);

                Savepoint again = connection.setSavepoint();
                write(connection, 3);
                supersede("1");
                connection.rollback(again);
                write(connection, 4);
                assertRefused("LF001", connection::commit);
                connection.rollback();
            }
            assertThat(stock()).isEqualTo(2);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void theServicesOwnFailuresPassUnchanged() throws Exception {
        Database.run(
                "drop table if exists child",
                "create table child(parent int references item(id) deferrable initially deferred)");
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                execute(connection, "insert into child values (4711)");
                assertThatThrownBy(connection::commit)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("23503"));
                connection.rollback();
                assertThatThrownBy(() -> execute(connection, "nonsense")).isInstanceOf(SQLException.class);
                connection.commit();
                write(connection, 1);
                connection.commit();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void severalLeasesMustAllHold() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold one = fenced.lock("1");
                    Fenced.Hold two = fenced.lock("2")) {
                write(connection, read(connection) + 1);
                connection.commit();
                write(connection, read(connection) + 1);
                supersede("2");
                assertThat(assertRefused("LF001", connection::commit)).contains("orders/2");
                connection.rollback();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void anExpiredHolderIsRefusedBeforeAnythingIsSent() throws Exception {
        try (Wire wire = new Wire(Database.port());
                Fenced fenced = fenced();
                Connection connection = fenced.connect(wire)) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1", Duration.ofMillis(1_500))) {
                write(connection, read(connection) + 1);
                Awaitility.await().atMost(Duration.ofSeconds(10)).until(hold::expired);
                assertThat(read(connection)).as("reads pass").isEqualTo(1);
                wire.reset();
                assertRefused("LF002", connection::commit);
                assertThat(wire.sent()).as("only our rollback").isEqualTo("PBDES");
                connection.rollback();
                wire.reset();
                assertRefused("LF002", () -> write(connection, 5));
                assertThat(wire.sent()).isEmpty();
                connection.rollback();
            }
            assertThat(stock()).isZero();
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aHolderThatWasToldThatItLostTheLockIsRefused() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, 1);
                hold.lost();
                assertRefused("LF002", connection::commit);
                connection.rollback();
            }
            assertThat(stock()).isZero();
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aHolderThatComesLateDoesNotEvenRead() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold hold = fenced.lock("1")) {
                supersede("1");
                assertRefused("LF001", () -> read(connection));
            }
            read(connection);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void withoutTheFenceTableTheLeaseCanProtectNothing() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            Database.run("drop schema lockfence cascade");
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertThat(assertRefused("LF004", () -> write(connection, 1))).contains("ddl");
            }
            write(connection, 2);
            assertThat(stock()).isEqualTo(2);
            fenced.assertNothingLeft();
        }
    }

    /** {@code new Driver().connect(…)}: nothing but the connection is kept by the service. */
    @Test
    void aDriverObjectThatTheServiceDroppedIsNotMissed() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            System.gc();
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "abort"})
    void closingWithAnOpenTransactionEndsIt(String how) throws Exception {
        try (Fenced fenced = fenced()) {
            Connection connection = fenced.connect();
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, 1);
                if (how.equals("close")) {
                    connection.close();
                } else {
                    connection.abort(Runnable::run);
                }
            }
            assertThat(stock()).isZero();
            fenced.assertNothingLeft();
        }
    }

    @Test
    void inShadowModeEverythingPassesAndIsReported() throws Exception {
        try (Fenced fenced = Fenced.with("shadow", "", "");
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, 1);
                supersede("1");
                connection.commit();
            }
            assertThat(stock()).isEqualTo(1);
            assertThat(fenced.counters().wouldHaveRefused().get(Refusal.STALE)).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void inObserveModeNothingLeavesTheJvm() throws Exception {
        try (Wire wire = new Wire(Database.port());
                Fenced fenced = Fenced.with("observe", "", "");
                Connection connection = fenced.connect(wire)) {
            connection.setAutoCommit(false);
            wire.reset();
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, 1);
                connection.commit();
            }
            assertThat(wire.sent()).isEqualTo("QPBDESPBES");
            assertThat(Fenced.fence("1")).isNull();
            fenced.assertNothingLeft();
        }
    }
}
