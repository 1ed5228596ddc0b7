/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What services do with JDBC, in one long walk over the API. It writes down all that the caller can see: results, counts, keys, warnings,
 * errors, states; two drivers that write down the same behave the same.
 */
final class JdbcExercise {
    private final Connection connection;
    private final List<String> seen = new ArrayList<>();

    private JdbcExercise(Connection connection) {
        this.connection = connection;
    }

    /** A step that may fail: what it throws belongs to what is seen. */
    private interface Step {
        void run() throws Exception;
    }

    static void prepare() throws SQLException {
        Database.run(
                "drop table if exists item cascade",
                "drop sequence if exists item_id_seq",
                "create table item(id serial primary key, name text unique, stock int not null check (stock >= 0))",
                """
                create or replace function next_id(text) returns int language plpgsql as
                $$ declare r int; begin insert into item(name, stock) values ($1, 1) returning id into r; return r; end $$""",
                """
                create or replace procedure restock(inout n int) language plpgsql as
                $$ begin update item set stock = stock + n; n := n + 1; end $$""");
    }

    /** All steps in autocommit mode, then all in transactions. */
    static List<String> run(Connection connection) throws Exception {
        JdbcExercise exercise = new JdbcExercise(connection);
        exercise.autocommit();
        exercise.transactions();
        exercise.content();
        return exercise.seen;
    }

    /** The steps in autocommit mode alone. */
    static List<String> runAutocommit(Connection connection) throws Exception {
        JdbcExercise exercise = new JdbcExercise(connection);
        exercise.autocommit();
        exercise.content();
        return exercise.seen;
    }

    private void autocommit() throws Exception {
        step("statement forms", this::statementForms);
        step("generated keys", this::generatedKeys);
        step("prepared, often enough for a named statement", this::prepared);
        step("batches", this::batches);
        step("a failing batch", this::failingBatch);
        step("a failing statement", () -> update("insert into item(name, stock) values ('bad', -1)"));
        step("bad syntax", () -> update("insert inta item"));
        step("several statements in one text", this::several);
        step("updatable result set", this::updatable);
        step("function and procedure", this::callables);
        step("types", this::types);
        step("empty statement", () -> update(""));
        step("metadata", this::metadata);
        step("copy", this::copy);
        step("copy of bad data", () -> copyIn("bad,data\n"));
        step("copy cancelled", this::copyCancelled);
        step("notifications", this::notifications);
        step("session settings", this::settings);
        step("parameter not set", () -> {
            try (PreparedStatement statement = connection.prepareStatement("update item set stock = ?")) {
                statement.executeUpdate();
            }
        });
    }

    private void transactions() throws Exception {
        connection.setAutoCommit(false);
        step("read, compute, write", () -> {
            statementForms();
            generatedKeys();
            connection.commit();
        });
        step("nothing to commit", connection::commit);
        step("rollback", () -> {
            update("update item set stock = 99");
            connection.rollback();
        });
        step("savepoints", this::savepoints);
        step("failed transaction", () -> {
            step("the failure", () -> update("insert into item(name, stock) values ('bad', -1)"));
            step("after it", () -> update("update item set stock = stock + 1"));
            step("its commit", connection::commit);
            connection.rollback();
        });
        step("batches", () -> {
            batches();
            connection.commit();
        });
        step("streaming", this::streaming);
        step("large objects", this::largeObjects);
        step("copy", () -> {
            copy();
            connection.commit();
        });
        step("serializable", () -> {
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            query("select count(*) from item");
            update("update item set stock = stock + 1 where id = 1");
            connection.commit();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        });
        step("read only", () -> {
            connection.setReadOnly(true);
            step("write", () -> update("update item set stock = stock + 1"));
            connection.rollback();
            connection.setReadOnly(false);
        });
        step("commit as text", () -> {
            update("update item set stock = stock + 1 where id = 1");
            update("COMMIT");
        });
        step("back to autocommit commits", () -> {
            update("update item set stock = stock + 1 where id = 1");
            connection.setAutoCommit(true);
        });
        step("transaction as text", () -> {
            update("BEGIN");
            update("update item set stock = stock + 1 where id = 1");
            update("ROLLBACK");
            update("BEGIN");
            update("update item set stock = stock + 1 where id = 1");
            update("COMMIT AND CHAIN");
            update("END");
        });
        step("valid", () -> note(connection.isValid(5)));
    }

    private void statementForms() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            note(statement.execute("insert into item(name, stock) values ('a" + seen.size() + "', 5)"));
            note(statement.getUpdateCount());
            note(statement.executeUpdate("update item set stock = stock + 1"));
            note(statement.executeLargeUpdate("update item set stock = stock + 1"));
            note(statement.execute("select name, stock from item order by id"));
            note(statement.getResultSet());
            note(statement.executeQuery("values (1, 'x'), (2, null)"));
        }
    }

    private void generatedKeys() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            note(statement.executeUpdate(
                    "insert into item(name, stock) values ('k" + seen.size() + "', 1)",
                    Statement.RETURN_GENERATED_KEYS));
            note(statement.getGeneratedKeys());
        }
        try (PreparedStatement statement = connection.prepareStatement(
                "insert into item(name, stock) values (?, ?)", new String[] {"id", "stock"})) {
            statement.setString(1, "p" + seen.size());
            statement.setInt(2, 7);
            note(statement.executeUpdate());
            note(statement.getGeneratedKeys());
        }
        note(connection
                .createStatement()
                .executeQuery("insert into item(name, stock) values ('r" + seen.size() + "', 2) returning id, name"));
    }

    private void prepared() throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("update item set stock = stock + ? where id = ?");
                PreparedStatement read = connection.prepareStatement("select stock from item where id = ?")) {
            note(read.getMetaData() == null ? "no metadata" : read.getMetaData().getColumnName(1));
            for (int i = 0; i < 7; i++) {
                statement.setInt(1, i);
                statement.setInt(2, 1);
                note(statement.executeUpdate());
                read.setInt(1, 1);
                note(read.executeQuery());
            }
        }
    }

    private void batches() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("insert into item(name, stock) values ('b" + seen.size() + "', 1)");
            statement.addBatch("update item set stock = stock + 1");
            note(Arrays.toString(statement.executeBatch()));
        }
        try (PreparedStatement statement = connection.prepareStatement("insert into item(name, stock) values (?, ?)")) {
            for (int i = 0; i < 5; i++) {
                statement.setString(1, "pb" + seen.size() + "-" + i);
                statement.setInt(2, i);
                statement.addBatch();
            }
            note(Arrays.toString(statement.executeBatch()));
            statement.setString(1, "one" + seen.size());
            statement.setInt(2, 1);
            statement.addBatch();
            note(Arrays.toString(statement.executeLargeBatch()));
        }
        try (PreparedStatement statement = connection.prepareStatement(
                "insert into item(name, stock) values (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < 3; i++) {
                statement.setString(1, "gk" + seen.size() + "-" + i);
                statement.setInt(2, i);
                statement.addBatch();
            }
            note(Arrays.toString(statement.executeBatch()));
            note(statement.getGeneratedKeys());
        }
    }

    private void failingBatch() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into item(name, stock) values (?, ?)")) {
            for (int i = 0; i < 4; i++) {
                statement.setString(1, "fb" + i);
                statement.setInt(2, 2 - i);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private void several() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean rows = statement.execute(
                    "update item set stock = stock + 1; select count(*) from item; delete from item where stock > 1000");
            while (true) {
                if (rows) {
                    note(statement.getResultSet());
                } else if (statement.getUpdateCount() >= 0) {
                    note(statement.getUpdateCount());
                } else {
                    break;
                }
                rows = statement.getMoreResults();
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(
                "update item set stock = ? where id = ?; select stock from item where id = ?")) {
            statement.setInt(1, 4);
            statement.setInt(2, 1);
            statement.setInt(3, 1);
            note(statement.execute());
            note(statement.getUpdateCount());
            note(statement.getMoreResults());
            note(statement.getResultSet());
        }
    }

    private void updatable() throws SQLException {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("select id, name, stock from item where id = 1")) {
            rows.next();
            rows.updateInt("stock", 50);
            rows.updateRow();
            rows.refreshRow();
            note(rows.getInt("stock"));
            rows.moveToInsertRow();
            rows.updateInt("id", 100_000 + seen.size());
            rows.updateString("name", "inserted" + seen.size());
            rows.updateInt("stock", 3);
            rows.insertRow();
            rows.moveToCurrentRow();
        }
        note(update("delete from item where id >= 100000"));
    }

    private void callables() throws SQLException {
        try (CallableStatement statement = connection.prepareCall("{? = call next_id(?)}")) {
            statement.registerOutParameter(1, Types.INTEGER);
            statement.setString(2, "called" + seen.size());
            note(statement.execute());
            note(statement.getInt(1) > 0);
        }
        note(update("select next_id('selected" + seen.size() + "') is null"));
        try (PreparedStatement statement = connection.prepareStatement("call restock(?)")) {
            statement.setInt(1, 2);
            note(statement.execute());
            note(statement.getResultSet());
        }
    }

    private void types() throws SQLException {
        Array array = connection.createArrayOf("int4", new Integer[] {1, 2, 3});
        try (PreparedStatement statement = connection.prepareStatement(
                "select ?::int4[], ?::numeric, ?::timestamp, ?::bytea, ?::jsonb, ?::uuid, array['a','b'], row(1,'x')")) {
            statement.setArray(1, array);
            statement.setBigDecimal(2, new java.math.BigDecimal("1.50"));
            statement.setTimestamp(3, java.sql.Timestamp.valueOf("2026-01-02 03:04:05.678"));
            statement.setBytes(4, new byte[] {1, 2, 3});
            statement.setString(5, "{\"a\": 1}");
            statement.setObject(6, new java.util.UUID(1, 2));
            for (int i = 0; i < 6; i++) {
                ResultSet rows = statement.executeQuery();
                rows.next();
                note(Arrays.toString((Object[]) rows.getArray(1).getArray())
                        + rows.getBigDecimal(2)
                        + rows.getTimestamp(3)
                        + Arrays.toString(rows.getBytes(4))
                        + rows.getString(5)
                        + rows.getObject(6)
                        + rows.getArray(7)
                        + rows.getObject(8));
            }
        }
    }

    private void metadata() throws SQLException {
        note(connection.getMetaData().getTables(null, "public", "item", null));
        note(connection.getMetaData().getPrimaryKeys(null, "public", "item"));
        try (PreparedStatement statement = connection.prepareStatement("update item set stock = ? where id = ?")) {
            note(statement.getParameterMetaData().getParameterTypeName(1));
        }
    }

    private void copy() throws Exception {
        note(copyIn("c" + seen.size() + ",5\nd" + seen.size() + ",6\n"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Object manager = copyManager();
        note(call(
                manager,
                "copyOut",
                new Class<?>[] {String.class, java.io.OutputStream.class},
                "copy (select name, stock from item where name like 'c%' order by id) to stdout with (format csv)",
                out));
        note(out.toString(StandardCharsets.UTF_8));
    }

    private Object copyIn(String csv) throws Exception {
        return call(
                copyManager(),
                "copyIn",
                new Class<?>[] {String.class, java.io.InputStream.class},
                "copy item(name, stock) from stdin with (format csv)",
                new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)));
    }

    private void copyCancelled() throws Exception {
        Object copy = call(
                copyManager(),
                "copyIn",
                new Class<?>[] {String.class},
                "copy item(name, stock) from stdin with (format csv)");
        byte[] row = "cancelled,5\n".getBytes(StandardCharsets.UTF_8);
        call(copy, "writeToCopy", new Class<?>[] {byte[].class, int.class, int.class}, row, 0, row.length);
        call(copy, "cancelCopy", new Class<?>[] {});
        query("select count(*) from item where name = 'cancelled'");
    }

    private Object copyManager() throws Exception {
        return call(connection, "getCopyAPI", new Class<?>[] {});
    }

    private void largeObjects() throws Exception {
        Object manager = call(connection, "getLargeObjectAPI", new Class<?>[] {});
        long oid = (long) call(manager, "createLO", new Class<?>[] {});
        Object large = call(manager, "open", new Class<?>[] {long.class}, oid);
        call(large, "write", new Class<?>[] {byte[].class}, (Object) "hello".getBytes(StandardCharsets.UTF_8));
        call(large, "seek", new Class<?>[] {int.class}, 1);
        note(new String((byte[]) call(large, "read", new Class<?>[] {int.class}, 3), StandardCharsets.UTF_8));
        call(large, "close", new Class<?>[] {});
        call(manager, "delete", new Class<?>[] {long.class}, oid);
        connection.commit();
    }

    private void notifications() throws Exception {
        update("listen here");
        update("notify here, 'hello'");
        Object[] heard = (Object[]) call(connection, "getNotifications", new Class<?>[] {});
        note(heard == null ? 0 : heard.length);
        update("unlisten *");
    }

    private void settings() throws SQLException {
        connection.setSchema("public");
        note(connection.getSchema());
        note(connection.getTransactionIsolation());
        connection.setReadOnly(true);
        query("select 1");
        connection.setReadOnly(false);
        connection.setClientInfo("ApplicationName", "exercise");
        note(connection.getClientInfo("ApplicationName"));
        connection.setNetworkTimeout(Runnable::run, 30_000);
        connection.clearWarnings();
        update("do $$ begin raise warning 'watch out'; end $$");
        note(connection.isValid(5));
    }

    private void savepoints() throws SQLException {
        update("update item set stock = stock + 1 where id = 1");
        Savepoint before = connection.setSavepoint();
        step("failure in it", () -> update("insert into item(name, stock) values ('bad', -1)"));
        connection.rollback(before);
        Savepoint named = connection.setSavepoint("named");
        update("update item set stock = stock + 1 where id = 1");
        connection.releaseSavepoint(named);
        connection.commit();
    }

    private void streaming() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(3);
            try (ResultSet rows = statement.executeQuery("select generate_series(1, 10)")) {
                int sum = 0;
                while (rows.next()) {
                    sum += rows.getInt(1);
                    if (rows.getRow() == 4) {
                        update("update item set stock = stock + 1 where id = 1");
                    }
                }
                note(sum);
            }
        }
        connection.commit();
    }

    private void content() throws SQLException {
        query("select name, stock from item order by id");
    }

    private void step(String name, Step step) {
        seen.add("-- " + name);
        try {
            step.run();
        } catch (BatchUpdateException e) {
            note("BatchUpdateException " + e.getSQLState() + " " + Arrays.toString(e.getUpdateCounts()));
        } catch (SQLException e) {
            note("SQLException " + e.getSQLState() + " "
                    + e.getMessage().lines().findFirst().orElse(""));
        } catch (Exception e) {
            note(e.toString());
        }
    }

    private int update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            int count = statement.getUpdateCount();
            note(count);
            if (statement.getWarnings() != null) {
                note(statement.getWarnings().getMessage());
            }
            return count;
        }
    }

    private void query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            note(statement.executeQuery(sql));
        }
    }

    private void note(Object value) {
        seen.add(String.valueOf(value));
    }

    private void note(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        while (rows.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                row.append(columns.getColumnLabel(i))
                        .append('=')
                        .append(rows.getString(i))
                        .append(' ');
            }
            seen.add(row.toString());
        }
        rows.close();
    }

    /** The driver's own API: its classes are those of the copy that the connection came from. */
    static Object call(Object target, String method, Class<?>[] types, Object... arguments) throws Exception {
        try {
            var found = target.getClass().getMethod(method, types);
            found.setAccessible(true);
            return found.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }
}
