/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Session;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A write in autocommit mode with a transaction opened around it: the service sees what it saw before, and a refusal takes all of it back. */
class AutocommitIT {
    private final ScriptedEffects effects = new ScriptedEffects();

    static List<Object[]> drivers() {
        return List.of(
                new Object[] {Drivers.NEWEST, new String[] {}},
                new Object[] {Drivers.NEWEST, new String[] {"autosave=always"}},
                new Object[] {Drivers.NEWEST, new String[] {"prepareThreshold=1"}},
                new Object[] {Drivers.NEWEST, new String[] {"prepareThreshold=-1"}},
                new Object[] {Drivers.NEWEST, new String[] {"preferQueryMode=extendedCacheEverything"}},
                new Object[] {Drivers.NEWEST, new String[] {"reWriteBatchedInserts=true"}},
                new Object[] {Drivers.OLDEST, new String[] {}},
                new Object[] {Drivers.OLD_LINE, new String[] {}},
                new Object[] {Drivers.OLD_LINE, new String[] {"autosave=conservative"}});
    }

    @BeforeEach
    void emptyTable() throws SQLException {
        JdbcExercise.prepare();
        effects.wrap = ScriptedEffects::isWrite;
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void keepsCountsKeysBatchesAndErrors(String version, String[] options) throws Exception {
        try (Wire wire = new Wire(Database.port())) {
            List<String> bare;
            try (Drivers.Copy copy = Drivers.bare(version);
                    Connection connection = WovenDriver.connect(copy, wire.url(), options)) {
                bare = JdbcExercise.runAutocommit(connection);
            }
            JdbcExercise.prepare();
            try (WovenDriver woven = WovenDriver.active(version, effects);
                    Connection connection = woven.connect(wire.url(), options)) {
                assertThat(JdbcExercise.runAutocommit(connection)).containsExactlyElementsOf(bare);
                assertThat(woven.faults).isEmpty();
                assertThat(effects.sessions.get(0).transactionOpen()).isFalse();
            }
            assertThat(effects.heard)
                    .filteredOn(heard -> heard.startsWith("sent opened"))
                    .hasSizeGreaterThan(30);
        }
    }

    /** There, each statement of a text or batch is a transaction of its own when bare; wrapped, they are kept or lost together. */
    @Test
    void inSimpleQueryModeStatementsSentAtOnceAreOneTransaction() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven, "preferQueryMode=simple");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(
                            () -> statement.execute(
                                    "insert into item(name, stock) values ('good', 1); insert into item(name, stock) values ('bad', -1)"))
                    .isInstanceOf(SQLException.class);
            assertThat(count("item")).isZero();
            statement.execute(
                    "insert into item(name, stock) values ('good', 1); insert into item(name, stock) values ('b', 1)");
            assertThat(count("item")).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void costsOneRoundTrip(String version) throws Exception {
        try (Wire wire = new Wire(Database.port());
                WovenDriver woven = WovenDriver.active(version, effects);
                Connection connection = woven.connect(wire.url());
                Statement statement = connection.createStatement()) {
            wire.reset();
            statement.executeUpdate("insert into item(name, stock) values ('a', 1)");
            assertThat(wire.roundTrips())
                    .as("BEGIN goes with the write, COMMIT follows")
                    .isEqualTo(2);
        }
    }

    @Test
    void readsAreSentAsEver() throws Exception {
        try (Wire wire = new Wire(Database.port());
                WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = woven.connect(wire.url());
                Statement statement = connection.createStatement()) {
            wire.reset();
            statement.executeQuery("select 1");
            assertThat(wire.sent()).isEqualTo("PBDES");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLD_LINE})
    void aRefusalAtTheCommitTakesTheWriteBack(String version) throws Exception {
        effects.refuseCommit = true;
        try (WovenDriver woven = WovenDriver.active(version, effects);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            assertRefused(() -> statement.executeUpdate("insert into item(name, stock) values ('a', 1)"));
            assertRefused(() -> {
                statement.addBatch("insert into item(name, stock) values ('b', 1)");
                statement.addBatch("insert into item(name, stock) values ('c', 1)");
                statement.executeBatch();
            });
            assertRefused(() -> statement.executeQuery("select next_id('d')"));
            assertRefused(() -> copyIn(connection, "e,1\n"));
            assertThat(count("item")).isZero();

            effects.refuseCommit = false;
            statement.executeUpdate("insert into item(name, stock) values ('usable', 1)");
            assertThat(count("item")).isEqualTo(1);
            assertThat(woven.faults).isEmpty();
        }
    }

    @Test
    void aRefusalBeforeTheStatementSendsNothing() throws Exception {
        effects.refuse = ScriptedEffects::isWrite;
        try (Wire wire = new Wire(Database.port());
                WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = woven.connect(wire.url());
                Statement statement = connection.createStatement()) {
            wire.reset();
            assertRefused(() -> statement.executeUpdate("insert into item(name, stock) values ('a', 1)"));
            assertRefused(() -> copyIn(connection, "e,1\n"));
            assertThat(wire.sent()).isEmpty();
            assertThat(effects.heard).noneMatch(heard -> heard.startsWith("sent"));
            statement.executeQuery("select 1");
        }
    }

    /** The driver sends a long batch in parts; its counts say that the parts before the failure were kept, which no longer is so. */
    @Test
    void aLongBatchThatFailsClaimsNoUpdateThatWasRolledBack() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven);
                PreparedStatement statement =
                        connection.prepareStatement("insert into item(name, stock) values (?, ?)")) {
            for (int i = 0; i < 1000; i++) {
                statement.setString(1, "n" + i);
                statement.setInt(2, i == 900 ? -1 : 1);
                statement.addBatch();
            }
            assertThatThrownBy(statement::executeBatch).isInstanceOfSatisfying(BatchUpdateException.class, failure -> {
                assertThat(failure.getSQLState()).isEqualTo("23514");
                assertThat(failure.getCause()).isNotNull();
                assertThat(failure.getUpdateCounts()).containsOnly(Statement.EXECUTE_FAILED);
            });
            assertThat(count("item")).isZero();
        }
    }

    @Test
    void aReadOnlyHintOfTheDriverDoesNotReachTheTransactionAroundAWrite() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven, "readOnlyMode=transaction")) {
            connection.setReadOnly(true);
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("insert into item(name, stock) values ('a', 1)");
            }
            assertThat(count("item")).isEqualTo(1);
        }
    }

    @Test
    void largeObjectsCalledByNumberAreWrappedToo() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven)) {
            Object fastpath = JdbcExercise.call(connection, "getFastpathAPI", new Class<?>[] {});
            effects.refuseCommit = true;
            assertRefused(() -> callFastpath(woven, fastpath));
            assertThat(count("pg_largeobject_metadata")).isZero();
            effects.refuseCommit = false;
            // lo_creat(INV_READ)
            callFastpath(woven, fastpath);
            assertThat(count("pg_largeobject_metadata")).isEqualTo(1);
            Database.run("select lo_unlink(oid) from pg_largeobject_metadata");
        }
    }

    /** JDBC lets two threads share a connection: a statement must not get into the transaction around another thread's write. */
    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLD_LINE})
    void anotherThreadsStatementStaysOutOfTheTransaction(String version) throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        List<Integer> counts = new ArrayList<>();
        ScriptedEffects slow = new ScriptedEffects() {
            @Override
            public void sent(Session session, boolean opened, Throwable thrown) throws Throwable {
                if (opened) {
                    written.countDown();
                    // Long enough for the other thread to get in, if it can.
                    other.await(300, TimeUnit.MILLISECONDS);
                    refuseCommit = true;
                    try {
                        super.sent(session, true, thrown);
                    } finally {
                        refuseCommit = false;
                    }
                } else {
                    super.sent(session, false, thrown);
                }
            }
        };
        slow.wrap = sql -> sql.contains("'refused'");
        try (WovenDriver woven = WovenDriver.active(version, slow);
                Connection connection = connect(woven)) {
            Thread healthy = new Thread(() -> {
                try (Statement statement = connection.createStatement()) {
                    written.await();
                    counts.add(statement.executeUpdate("insert into item(name, stock) values ('healthy', 1)"));
                    other.countDown();
                } catch (SQLException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            healthy.start();
            try (Statement statement = connection.createStatement()) {
                assertRefused(() -> statement.executeUpdate("insert into item(name, stock) values ('refused', 1)"));
            }
            healthy.join(10_000);
            assertThat(counts).containsExactly(1);
            assertThat(count("item")).as("the write that was not refused").isEqualTo(1);
        }
    }

    @Test
    void anAgentThatThrowsWhatItShouldNotLeavesNoTransactionOpen() throws Exception {
        ScriptedEffects broken = new ScriptedEffects() {
            @Override
            public void sent(Session session, boolean opened, Throwable thrown) {
                throw new IllegalStateException("a bug");
            }
        };
        broken.wrap = ScriptedEffects::isWrite;
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, broken);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate("insert into item(name, stock) values ('a', 1)"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("LF004"));
            assertThatThrownBy(() -> statement.executeUpdate("insert into item(name, stock) values ('a', -1)"))
                    .as("the driver's own error goes first")
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23514"));
            assertThat(broken.sessions.get(0).transactionOpen()).isFalse();
            assertThat(broken.sessions.get(0).transactionFailed()).isFalse();
            assertThat(count("item")).isZero();
            assertThat(woven.faults).isNotEmpty();
            statement.executeQuery("select 1");
        }
    }

    @Test
    void aCopyWhoseConnectionIsLostEnds() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven)) {
            Object copy = startCopy(connection);
            assertThat(effects.sessions.get(0).busy()).isTrue();
            Database.run(
                    "select pg_terminate_backend(" + effects.sessions.get(0).backend() + ", 10000)");
            assertThatThrownBy(() -> end(copy)).isInstanceOf(SQLException.class);
            assertThat(effects.sessions.get(0).busy()).isFalse();
            assertThat(effects.heard).contains("sent opened failed");
            assertThat(count("item")).isZero();
        }
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void assertRefused(Action action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("LF001"));
    }

    private static Connection connect(WovenDriver woven, String... options) throws SQLException {
        return woven.connect("jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", options);
    }

    private static int count(String table) throws SQLException {
        try (Connection connection = Database.observer();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from " + table)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void copyIn(Connection connection, String csv) throws Exception {
        Object copy = startCopy(connection);
        byte[] rows = csv.getBytes(StandardCharsets.UTF_8);
        JdbcExercise.call(
                copy, "writeToCopy", new Class<?>[] {byte[].class, int.class, int.class}, rows, 0, rows.length);
        end(copy);
    }

    private static Object startCopy(Connection connection) throws Exception {
        Object manager = JdbcExercise.call(connection, "getCopyAPI", new Class<?>[] {});
        return JdbcExercise.call(
                manager,
                "copyIn",
                new Class<?>[] {String.class},
                "copy item(name, stock) from stdin with (format csv)");
    }

    private static void end(Object copy) throws Exception {
        JdbcExercise.call(copy, "endCopy", new Class<?>[] {});
    }

    private static void callFastpath(WovenDriver woven, Object fastpath) throws Exception {
        Class<?> argument = woven.copy().loadClass("org.postgresql.fastpath.FastpathArg");
        Object mode = argument.getConstructor(int.class).newInstance(0x40000);
        Object arguments = Array.newInstance(argument, 1);
        Array.set(arguments, 0, mode);
        JdbcExercise.call(fastpath, "fastpath", new Class<?>[] {int.class, argument.arrayType()}, 957, arguments);
    }
}
