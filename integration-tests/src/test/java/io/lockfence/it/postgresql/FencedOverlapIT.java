/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static io.lockfence.it.postgresql.Fenced.assertRefused;
import static io.lockfence.it.postgresql.Fenced.execute;
import static io.lockfence.it.postgresql.Fenced.read;
import static io.lockfence.it.postgresql.Fenced.stock;
import static io.lockfence.it.postgresql.Fenced.supersede;
import static io.lockfence.it.postgresql.Fenced.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lockfence.agent.fence.Claimed;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks, transactions, streams and pools whose lifetimes overlap in other ways than the textbook's. */
@SuppressWarnings("try") // locks are taken to be held, not to be used
class FencedOverlapIT {
    @BeforeEach
    void freshTable() throws SQLException {
        Fenced.freshTable();
    }

    @Test
    void unlockBeforeCommitKeepsTheNextHolderWaitingUntilTheCommit() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
            }
            assertThat(supersede("1", 100)).as("while the transaction is open").isEqualTo(Claimed.Status.BUSY);
            connection.commit();
            assertThat(stock()).isEqualTo(1);
            assertThat(supersede("1", 100)).as("after it").isEqualTo(Claimed.Status.CLAIMED);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void withoutAGuardAtReleaseTheCommitIsStillGuarded() throws Exception {
        try (Fenced fenced = Fenced.with("enforce", "guardAtRelease: false", "");
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(connection, read(connection) + 1);
            }
            assertThat(supersede("1", 100)).isEqualTo(Claimed.Status.CLAIMED);
            assertRefused("LF001", connection::commit);
            connection.rollback();
            assertThat(stock()).isZero();
            fenced.assertNothingLeft();
        }
    }

    @Test
    void lockWriteUnlockLockInOneTransaction() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                try (Fenced.Hold hold = fenced.lock("1")) {
                    write(connection, read(connection) + 1);
                }
            }
            connection.commit();
            assertThat(stock()).isEqualTo(3);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void lockWriteUnlockLockWithASavepointRolledBackInBetween() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            try (Fenced.Hold first = fenced.lock("1")) {
                write(connection, read(connection) + 1);
            }
            var before = connection.setSavepoint();
            try (Fenced.Hold second = fenced.lock("1")) {
                write(connection, read(connection) + 1);
                connection.rollback(before);
                write(connection, read(connection) + 1);
            }
            connection.commit();
            assertThat(stock()).isEqualTo(2);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aSecondTransactionOfTheThreadIsRefusedAtOnceWhereItWouldWaitForTheFirst() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection outer = fenced.connect();
                Connection inner = fenced.connect()) {
            outer.setAutoCommit(false);
            inner.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(outer, read(outer) + 1);
            }
            long began = System.nanoTime();
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertThat(assertRefused("LF008", () -> read(inner))).contains("transaction");
                inner.rollback();
            }
            assertThat(System.nanoTime() - began).as("did not wait for itself").isLessThan(8_000_000_000L);
            outer.commit();
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void twoTransactionsUnderOneLeaseDoNotHinderEachOther() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection outer = fenced.connect();
                Connection inner = fenced.connect()) {
            outer.setAutoCommit(false);
            inner.setAutoCommit(false);
            try (Fenced.Hold hold = fenced.lock("1")) {
                write(outer, read(outer) + 1);
                execute(inner, "insert into item(name, stock) values ('inner', 1)");
                inner.commit();
                outer.commit();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aStreamUnderTheLeaseIsReadWhileWriting() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(2);
            try (Fenced.Hold hold = fenced.lock("1")) {
                int rows = 0;
                try (ResultSet numbers = statement.executeQuery("select generate_series(1, 9)")) {
                    while (numbers.next()) {
                        write(connection, ++rows);
                    }
                }
                assertThat(rows).isEqualTo(9);
                connection.commit();
            }
            assertThat(stock()).isEqualTo(9);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aStreamFromBeforeTheLockIsRefusedWithTheReason() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(2);
            ResultSet numbers = statement.executeQuery("select generate_series(1, 9)");
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertThat(assertRefused("LF008", () -> {
                            while (numbers.next()) {
                                // Until the next fetch.
                            }
                        }))
                        .contains("stream");
                connection.rollback();
                write(connection, 1);
                connection.commit();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aCursorFromBeforeTheLockIsRefusedWithTheReason() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect()) {
            connection.setAutoCommit(false);
            execute(connection, "declare Early cursor for select stock from item where name = 'counter'");
            Database.run("update item set stock = 5 where name = 'counter'");
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertThat(assertRefused("LF008", () -> execute(connection, "fetch next from early")))
                        .contains("early");
                connection.rollback();
            }
            assertThat(stock()).isEqualTo(5);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aCursorUnderTheLeaseIsFetchedFromInATransactionThatIsOlder() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                Connection connection = fenced.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            execute(connection, "declare early cursor for select 1");
            try (Fenced.Hold hold = fenced.lock("1")) {
                execute(connection, "declare late cursor for select stock from item where name = 'counter'");
                ResultSet row = statement.executeQuery("fetch next from late");
                row.next();
                write(connection, row.getInt(1) + 1);
                execute(connection, "close early");
                connection.commit();
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aPoolOfOneConnectionKeepsItThroughARefusal() throws Exception {
        try (Fenced fenced = Fenced.enforced();
                HikariDataSource pool = pool(fenced)) {
            int server = backend(pool);
            try (Fenced.Hold hold = fenced.lock("1");
                    Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                connection.setReadOnly(false);
                write(connection, read(connection) + 1);
                supersede("1");
                assertRefused("LF001", connection::commit);
                assertThat(connection.isValid(5)).as("valid after a refusal").isTrue();
                // Spring does not roll back after a failed commit; it switches back to autocommit.
                connection.setAutoCommit(true);
            }
            assertThat(stock()).isZero();
            assertThat(backend(pool)).as("the same physical connection").isEqualTo(server);
            try (Fenced.Hold hold = fenced.lock("1");
                    Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
                connection.setAutoCommit(false);
                write(connection, read(connection) + 1);
                assertRefused("LF001", () -> {
                    supersede("1");
                    connection.commit();
                });
                // Closed as it is: the pool rolls back and resets.
            }
            try (Fenced.Hold hold = fenced.lock("1");
                    Connection connection = pool.getConnection()) {
                write(connection, read(connection) + 1);
            }
            assertThat(stock()).isEqualTo(1);
            assertThat(backend(pool)).as("the same physical connection").isEqualTo(server);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void theGuardCostsATransactionNoRoundTrip() throws Exception {
        try (Wire wire = new Wire(Database.port())) {
            int[] bare;
            try (Drivers.Copy copy = Drivers.bare(Drivers.NEWEST);
                    Connection connection = WovenDriver.connect(copy, wire.url())) {
                connection.setAutoCommit(false);
                bare = roundTrips(wire, connection);
            }
            try (Fenced fenced = Fenced.enforced();
                    Connection connection = fenced.connect(wire)) {
                connection.setAutoCommit(false);
                try (Fenced.Hold hold = fenced.lock("1")) {
                    // The claim, once for each lease, is on a connection of its own.
                    read(connection);
                    connection.rollback();
                    assertThat(roundTrips(wire, connection)).isEqualTo(bare);
                }
                fenced.assertNothingLeft();
            }
        }
    }

    /** Of transactions of one and of five statements, more often than it takes the driver to prepare them by name. */
    private static int[] roundTrips(Wire wire, Connection connection) throws SQLException {
        int[] counts = new int[16];
        for (int i = 0; i < counts.length; i++) {
            wire.reset();
            for (int j = 0; j < (i % 2 == 0 ? 1 : 5); j++) {
                write(connection, j);
            }
            connection.commit();
            counts[i] = wire.roundTrips();
        }
        return counts;
    }

    private static HikariDataSource pool(Fenced fenced) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new DriverSource(
                fenced.driver().driver(), "jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", user()));
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static Properties user() {
        Properties info = new Properties();
        info.setProperty("user", "postgres");
        return info;
    }

    private static int backend(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
