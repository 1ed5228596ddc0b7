/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static io.lockfence.it.postgresql.Fenced.assertRefused;
import static io.lockfence.it.postgresql.Fenced.execute;
import static io.lockfence.it.postgresql.Fenced.items;
import static io.lockfence.it.postgresql.Fenced.read;
import static io.lockfence.it.postgresql.Fenced.stock;
import static io.lockfence.it.postgresql.Fenced.supersede;
import static io.lockfence.it.postgresql.Fenced.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes in autocommit mode under a lease, in every form that JDBC and PostgreSQL have. */
@SuppressWarnings("try") // locks are taken to be held, not to be used
class FencedAutocommitIT {
    private interface Form {
        void send(Connection connection) throws Exception;
    }

    private record Write(String name, Form form) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Each writes one row with the name {@code new}. */
    static List<Write> writes() {
        String insert = "insert into item(name, stock) values ('new', 1)";
        return List.of(
                new Write("execute", connection -> execute(connection, insert)),
                new Write(
                        "executeUpdate",
                        connection -> connection.createStatement().executeUpdate(insert)),
                new Write(
                        "executeLargeUpdate",
                        connection -> connection.createStatement().executeLargeUpdate(insert)),
                new Write("executeQuery of RETURNING", connection -> {
                    ResultSet row = connection.createStatement().executeQuery(insert + " returning name");
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).isEqualTo("new");
                }),
                new Write("generated keys", connection -> {
                    Statement statement = connection.createStatement();
                    assertThat(statement.executeUpdate(insert, Statement.RETURN_GENERATED_KEYS))
                            .isEqualTo(1);
                    ResultSet keys = statement.getGeneratedKeys();
                    assertThat(keys.next()).isTrue();
                    assertThat(keys.getInt("id")).isPositive();
                }),
                new Write("prepared", connection -> {
                    PreparedStatement statement =
                            connection.prepareStatement("insert into item(name, stock) values (?, ?)");
                    statement.setString(1, "new");
                    statement.setInt(2, 1);
                    assertThat(statement.executeUpdate()).isEqualTo(1);
                }),
                new Write("batch", connection -> {
                    Statement statement = connection.createStatement();
                    statement.addBatch(insert);
                    statement.addBatch("update item set stock = 2 where name = 'new'");
                    assertThat(statement.executeBatch()).containsExactly(1, 1);
                }),
                new Write("prepared batch", connection -> {
                    PreparedStatement statement =
                            connection.prepareStatement("insert into item(name, stock) values (?, ?)");
                    statement.setString(1, "new");
                    statement.setInt(2, 1);
                    statement.addBatch();
                    assertThat(statement.executeBatch()).containsExactly(1);
                }),
                new Write("several in one text", connection -> execute(connection, "select 1; " + insert)),
                new Write(
                        "WITH",
                        connection -> execute(connection, "with w as (" + insert + " returning 1) select * from w")),
                new Write("a SELECT that calls a function", connection -> execute(connection, "select next_id('new')")),
                new Write("a function as {call}", connection -> {
                    CallableStatement call = connection.prepareCall("{? = call next_id(?)}");
                    call.registerOutParameter(1, Types.INTEGER);
                    call.setString(2, "new");
                    call.execute();
                    assertThat(call.getInt(1)).isPositive();
                }),
                new Write("DO", connection -> execute(connection, "do $$ begin " + insert + "; end $$")),
                new Write("updatable result set", connection -> {
                    Statement statement =
                            connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet rows = statement.executeQuery("select id, name, stock from item");
                    rows.moveToInsertRow();
                    rows.updateInt("id", 4711);
                    rows.updateString("name", "new");
                    rows.updateInt("stock", 1);
                    rows.insertRow();
                }),
                new Write("a cursor WITH HOLD", connection -> {
                    execute(connection, "declare held cursor with hold for select next_id('new')");
                    execute(connection, "close held");
                }),
                new Write("COPY", connection -> {
                    Object manager = JdbcExercise.call(connection, "getCopyAPI", new Class<?>[] {});
                    Object copy = JdbcExercise.call(
                            manager,
                            "copyIn",
                            new Class<?>[] {String.class},
                            "copy item(name, stock) from stdin with (format csv)");
                    byte[] row = "new,1\n".getBytes(StandardCharsets.UTF_8);
                    JdbcExercise.call(
                            copy,
                            "writeToCopy",
                            new Class<?>[] {byte[].class, int.class, int.class},
                            row,
                            0,
                            row.length);
                    JdbcExercise.call(copy, "endCopy", new Class<?>[] {});
                }));
    }

    Fenced fenced() {
        return Fenced.enforced();
    }

    @BeforeEach
    void freshTable() throws SQLException {
        Fenced.freshTable();
    }

    @ParameterizedTest
    @MethodSource("writes")
    void isAppliedForAHealthyHolderAndRefusedForASupersededOne(Write write) throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold hold = fenced.lock("1")) {
                read(connection);
                write.form.send(connection);
                assertThat(items()).as("the row of a healthy holder").isEqualTo(2);
                execute(connection, "delete from item where name = 'new'");
                supersede("1");
                assertRefused("LF001", () -> write.form.send(connection));
                assertThat(items()).as("the row of a superseded holder").isEqualTo(1);
            }
            write.form.send(connection);
            assertThat(items()).as("the connection is usable without a lease").isEqualTo(2);
            fenced.assertNothingLeft();
        }
    }

    /** Nobody may be told by a holder that is none any more. */
    @Test
    void aNotificationIsGuardedToo() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect();
                Connection listener = Database.observer()) {
            execute(listener, "listen orders");
            try (Fenced.Hold hold = fenced.lock("1")) {
                execute(connection, "notify orders, 'healthy'");
                supersede("1");
                assertRefused("LF001", () -> execute(connection, "notify orders, 'late'"));
                assertRefused("LF001", () -> execute(connection, "select pg_notify('orders', 'late')"));
            }
            execute(listener, "select 1");
            assertThat(listener.unwrap(org.postgresql.PGConnection.class).getNotifications(1_000))
                    .extracting(org.postgresql.PGNotification::getParameter)
                    .containsExactly("healthy");
            fenced.assertNothingLeft();
        }
    }

    @Test
    void aRoutineThatCommitsInsideIsRefusedByName() throws Exception {
        Database.run("""
                create or replace procedure commits() language plpgsql as
                $$ begin update item set stock = stock + 1 where name = 'counter'; commit; end $$""");
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold hold = fenced.lock("1")) {
                assertRefused("LF008", () -> execute(connection, "call commits()"));
            }
            assertThat(stock()).isZero();
            execute(connection, "call commits()");
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void maintenanceThatCannotRunInATransactionPasses() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold hold = fenced.lock("1")) {
                execute(connection, "vacuum item");
                execute(connection, "create index concurrently if not exists item_stock on item(stock)");
            }
            fenced.assertNothingLeft();
        }
    }

    @Test
    void theLeasesOfARefusedStatementDoNotMeetTheNextOne() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold one = fenced.lock("1");
                    Fenced.Hold two = fenced.lock("2")) {
                two.lost();
                assertRefused("LF002", () -> write(connection, 1));
            }
            supersede("1");
            write(connection, 2);
            assertThat(stock()).as("a write under no lease").isEqualTo(2);
            fenced.assertNothingLeft();
        }
    }

    @Test
    void beginAndCommitAsTextAreATransaction() throws Exception {
        try (Fenced fenced = fenced();
                Connection connection = fenced.connect()) {
            try (Fenced.Hold hold = fenced.lock("1")) {
                execute(connection, "BEGIN");
                write(connection, 1);
                execute(connection, "COMMIT");
                assertThat(stock()).isEqualTo(1);
                execute(connection, "BEGIN");
                write(connection, 2);
                supersede("1");
                assertRefused("LF001", () -> execute(connection, "COMMIT"));
                execute(connection, "ROLLBACK");
            }
            try (Fenced.Hold hold = fenced.lock("2")) {
                assertRefused("LF008", () -> execute(connection, "begin; update item set stock = 3; commit"));
            }
            assertThat(stock()).isEqualTo(1);
            fenced.assertNothingLeft();
        }
    }
}
