/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Session;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the agent hears of a connection, and when. */
@SuppressWarnings("try") // connections are closed in mid-test, and opened only to be told of
class EventsIT {
    private final ScriptedEffects effects = new ScriptedEffects();

    @BeforeEach
    void emptyTable() throws SQLException {
        JdbcExercise.prepare();
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void aTransactionFromItsFirstStatementToItsEnd(String version) throws Exception {
        try (WovenDriver woven = WovenDriver.active(version, effects);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("insert into item(name, stock) values ('a', 1)");
            connection.commit();
            statement.executeUpdate("update item set stock = 2");
            Savepoint savepoint = connection.setSavepoint("s");
            connection.rollback(savepoint);
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(effects.heard)
                    .containsExactly(
                            "opened",
                            "sending insert into item(name, stock) values ('a', 1)",
                            "sent",
                            "committing open",
                            "sending COMMIT",
                            "sent",
                            "sending update item set stock = 2",
                            "sent",
                            "sending SAVEPOINT \"s\"",
                            "sent",
                            "sending ROLLBACK TO SAVEPOINT \"s\"",
                            "sent",
                            "sending ROLLBACK",
                            "sent",
                            "rolledBack",
                            "abandoned",
                            "committing");
        }
        assertThat(effects.heard).contains("closed");
    }

    @Test
    void autocommitIsToldApartFromTransactionsBegunAsText() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            statement.execute("BEGIN");
            statement.execute("select 2");
            statement.execute("END");
            assertThat(effects.heard)
                    .containsSubsequence(
                            "sending alone select 1", "sending alone BEGIN", "sending select 2", "sending END");
        }
    }

    @Test
    void oneTextPerStatement() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("update item set stock = ? where id = ?")) {
            statement.execute("select 1;select 2");
            statement.addBatch("select next_id('x')");
            statement.addBatch("select 3");
            statement.executeBatch();
            for (int i = 0; i < 3; i++) {
                prepared.setInt(1, i);
                prepared.setInt(2, i);
                prepared.addBatch();
            }
            prepared.executeBatch();
            assertThat(effects.heard)
                    .contains(
                            "sending alone select 1 | select 2",
                            "sending alone select next_id('x') | select 3",
                            "sending alone update item set stock = $1 where id = $2");
        }
    }

    @Test
    void describingAndTheEmptyQueryAreNotTold() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven);
                PreparedStatement prepared = connection.prepareStatement("select stock from item where id = ?")) {
            assertThat(prepared.getMetaData().getColumnCount()).isEqualTo(1);
            assertThat(prepared.getParameterMetaData().getParameterCount()).isEqualTo(1);
            assertThat(connection.isValid(5)).isTrue();
            connection.createStatement().execute("");
            assertThat(effects.heard).containsExactly("opened");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLD_LINE})
    void theRollbackThatAutosaveSendsIsToldInsideTheStatementThatFailed(String version) throws Exception {
        try (WovenDriver woven = WovenDriver.active(version, effects);
                Connection connection = connect(woven, "autosave=always");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select 1");
            effects.heard.clear();
            assertThatThrownBy(() -> statement.execute("insert into item(name, stock) values ('bad', -1)"))
                    .isInstanceOf(SQLException.class);
            assertThat(effects.heard)
                    .containsExactly(
                            "sending insert into item(name, stock) values ('bad', -1)",
                            "sending ROLLBACK TO SAVEPOINT PGJDBC_AUTOSAVE",
                            "sent",
                            "sent failed");
            assertThat(effects.sessions.get(0).transactionOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void aStreamSaysUnderWhichLeasesItWasOpened(String version) throws Exception {
        Lease early = lease("early");
        Lease late = lease("late");
        LeaseContext context = LeaseContext.ofCurrentThread();
        try (WovenDriver woven = WovenDriver.active(version, effects);
                Connection connection = connect(woven);
                Statement before = connection.createStatement();
                Statement under = connection.createStatement()) {
            connection.setAutoCommit(false);
            before.setFetchSize(2);
            under.setFetchSize(2);
            ResultSet openedBefore = before.executeQuery("select generate_series(1, 100)");
            context.attach(early);
            ResultSet openedUnder = under.executeQuery("select generate_series(1, 100)");
            context.attach(late);
            effects.heard.clear();
            for (int i = 0; i < 3; i++) {
                openedBefore.next();
            }
            for (int i = 0; i < 5; i++) {
                openedUnder.next();
            }
            assertThat(effects.heard).containsExactly("fetching 0", "fetching 1", "fetching 1");
            effects.refuseFetch = true;
            assertThatThrownBy(() -> {
                        while (openedBefore.next()) {
                            // To the next fetch.
                        }
                    })
                    .hasMessage("refused by the test");
        } finally {
            context.detach(early);
            context.detach(late);
        }
    }

    @Test
    void copyIsOneStatementUntilItsDataHasEnded() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven)) {
            Session session = effects.sessions.get(0);
            Object manager = JdbcExercise.call(connection, "getCopyAPI", new Class<?>[] {});
            Object out = JdbcExercise.call(
                    manager, "copyOut", new Class<?>[] {String.class}, "copy (select generate_series(1, 3)) to stdout");
            int rows = 0;
            assertThat(session.busy()).isTrue();
            while (JdbcExercise.call(out, "readFromCopy", new Class<?>[] {}) != null) {
                rows++;
                assertThat(effects.heard)
                        .containsExactly("opened", "sending alone copy (select generate_series(1, 3)) to stdout");
            }
            assertThat(rows).isEqualTo(3);
            assertThat(session.busy()).isFalse();
            assertThat(effects.heard).endsWith("sent");
        }
    }

    @Test
    void whatTheAgentSendsItselfIsNotTold() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven)) {
            ScriptedEffects.tell(effects.sessions.get(0), "select 1");
            assertThat(effects.heard).containsExactly("opened");
        }
    }

    @Test
    void connectionsOfTheAgentAreNeverTold() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects)) {
            try (Connection own = Seams.ours(() -> connect(woven));
                    Statement statement = own.createStatement()) {
                own.setAutoCommit(false);
                statement.execute("select 1");
                own.commit();
            }
            assertThat(effects.heard).isEmpty();
        }
    }

    @Test
    void theAgentGetsTheDefaultsOfTheProperties() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects)) {
            Properties defaults = new Properties();
            defaults.setProperty("user", "postgres");
            Properties info = new Properties(defaults);
            info.setProperty("ApplicationName", "test");
            woven.copy()
                    .driver()
                    .connect("jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", info)
                    .close();
            assertThat(effects.infos.get(0)).containsEntry("user", "postgres").containsEntry("ApplicationName", "test");
        }
    }

    @Test
    void anotherDriversUrlIsNoConnection() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects)) {
            assertThat(woven.copy().driver().connect("jdbc:other:x", new Properties()))
                    .isNull();
            assertThat(effects.heard).isEmpty();
            assertThat(woven.faults).isEmpty();
        }
    }

    @Test
    void aSessionKnowsTheStateAtTheServer() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            Session session = effects.sessions.get(0);
            assertThat(session.connection()).isSameAs(connection);
            ResultSet pid = statement.executeQuery("select pg_backend_pid()");
            pid.next();
            assertThat(session.backend()).isEqualTo(pid.getInt(1));
            assertThat(session.readOnly()).isFalse();
            connection.setReadOnly(true);
            assertThat(session.readOnly()).isTrue();
            connection.setReadOnly(false);
            connection.setAutoCommit(false);
            assertThat(session.transactionOpen()).isFalse();
            statement.execute("select 1");
            assertThat(session.transactionOpen()).isTrue();
            assertThatThrownBy(() -> statement.execute("nonsense")).isInstanceOf(SQLException.class);
            assertThat(session.transactionOpen()).isFalse();
            assertThat(session.transactionFailed()).isTrue();
            connection.close();
            assertThat(session.closed()).isTrue();
            assertThat(session.transactionFailed()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void closeAbortAndALostConnectionAreTold(String version) throws Exception {
        try (WovenDriver woven = WovenDriver.active(version, effects)) {
            connect(woven).close();
            assertThat(effects.heard).contains("closed");

            effects.heard.clear();
            Connection aborted = connect(woven);
            aborted.abort(Runnable::run);
            assertThat(effects.heard).contains("closed");

            effects.heard.clear();
            Connection lost = connect(woven);
            Database.run(
                    "select pg_terminate_backend(" + effects.sessions.get(2).backend() + ", 10000)");
            assertThatThrownBy(() -> lost.createStatement().execute("select 1")).isInstanceOf(SQLException.class);
            lost.close();
            assertThat(effects.heard).contains("closed");
            assertThat(effects.sessions).allMatch(Session::closed);
        }
    }

    @Test
    void aConnectionThatTheServiceDroppedIsNotKeptAlive() throws Exception {
        try (WovenDriver woven = WovenDriver.active(Drivers.NEWEST, effects)) {
            Connection connection = connect(woven);
            connection.createStatement().execute("select 1");
            connection.close();
            WeakReference<Connection> dropped = new WeakReference<>(connection);
            connection = null;
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
                System.gc();
                return dropped.get() == null;
            });
            assertThat(effects.sessions.get(0).connection()).isNull();
            assertThat(effects.sessions.get(0).closed()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void aConnectionThatCouldNotBeToldOfSendsNothingUnderALease(String version) throws Exception {
        AtomicBoolean leased = new AtomicBoolean();
        ScriptedEffects failing = new ScriptedEffects() {
            @Override
            public void opened(Session session, Object driver, String url, Properties info) {
                throw new IllegalStateException("a fault of ours");
            }

            @Override
            public boolean refusesUnknown() {
                return leased.get();
            }
        };
        try (WovenDriver woven = WovenDriver.active(version, failing);
                Connection connection = connect(woven);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("insert into item(name, stock) values ('before', 1)");
            leased.set(true);
            assertThatThrownBy(() -> statement.executeUpdate("insert into item(name, stock) values ('under', 1)"))
                    .isInstanceOf(SQLNonTransientException.class)
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("LF004");
            leased.set(false);
            statement.executeUpdate("insert into item(name, stock) values ('after', 1)");
            assertThat(woven.faults).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE})
    void aRefusedXaBranchIsReportedAsRolledBack(String version) throws Exception {
        ScriptedEffects refusing = new ScriptedEffects() {
            @Override
            public boolean sending(Session session, String sql, boolean alone) throws Throwable {
                super.sending(session, sql, alone);
                if (sql.equals("COMMIT") || sql.startsWith("PREPARE")) {
                    tell(session, "ROLLBACK");
                    throw new SQLNonTransientException(
                            "refused", "LF001", new FencedException(Refusal.STALE, "r", "refused", null));
                }
                return false;
            }
        };
        try (WovenDriver woven = WovenDriver.active(version, refusing)) {
            XADataSource source = (XADataSource) woven.copy()
                    .loadClass("org.postgresql.xa.PGXADataSource")
                    .getConstructor()
                    .newInstance();
            source.getClass()
                    .getMethod("setUrl", String.class)
                    .invoke(source, "jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres?user=postgres");
            XAConnection xa = source.getXAConnection();
            XAResource resource = xa.getXAResource();
            try (Connection connection = xa.getConnection();
                    Statement statement = connection.createStatement()) {
                for (boolean onePhase : new boolean[] {true, false}) {
                    Xid xid = new Branch(onePhase ? 1 : 2);
                    resource.start(xid, XAResource.TMNOFLAGS);
                    statement.executeUpdate("insert into item(name, stock) values ('xa', 1)");
                    resource.end(xid, XAResource.TMSUCCESS);
                    assertThatThrownBy(() -> {
                                if (onePhase) {
                                    resource.commit(xid, true);
                                } else {
                                    resource.prepare(xid);
                                }
                            })
                            .isInstanceOfSatisfying(XAException.class, e -> {
                                assertThat(e.errorCode).isEqualTo(XAException.XA_RBROLLBACK);
                                assertThat(e).hasRootCauseInstanceOf(FencedException.class);
                            });
                }
                Xid next = new Branch(3);
                resource.start(next, XAResource.TMNOFLAGS);
                resource.end(next, XAResource.TMSUCCESS);
                resource.rollback(next);
            } finally {
                xa.close();
            }
        }
    }

    @Test
    void aDriverThatLacksAHookIsInactive() {
        Library library = new PostgresLibrary();
        Set<String> all = new TreeSet<>(
                library.points().stream().map(point -> point.capability()).toList());
        assertThat(library.level(all)).isEqualTo(Library.Level.FULL);
        for (String missing : all) {
            Set<String> rest = new TreeSet<>(all);
            rest.remove(missing);
            assertThat(library.level(rest))
                    .as("without %s", missing)
                    .isEqualTo(missing.equals("xa") ? Library.Level.FULL : Library.Level.INACTIVE);
        }
    }

    private record Branch(int number) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {(byte) number};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }

    private static Lease lease(String name) {
        return new Lease(
                name,
                name,
                "0".repeat(32),
                name,
                0,
                1,
                new Deadline(System.nanoTime(), Duration.ofMinutes(1).toNanos()));
    }

    private static Connection connect(WovenDriver woven, String... options) throws SQLException {
        return woven.connect("jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", options);
    }
}
