/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Query;
import org.postgresql.core.v3.QueryExecutorImpl;

/** A connection of the stub driver with its executor, and a statement. */
record StubConnection(BaseConnection connection, QueryExecutorImpl executor, Query reading, Query writing) {
    static StubConnection open() throws SQLException {
        BaseConnection connection =
                (BaseConnection) new Driver().connect("jdbc:postgresql://localhost/bench", new Properties());
        return new StubConnection(
                connection,
                (QueryExecutorImpl) connection.getQueryExecutor(),
                query("SELECT quantity FROM stock WHERE item = $1"),
                query("UPDATE stock SET quantity = $1 WHERE item = $2"));
    }

    void read() {
        executor.execute(reading, null, null, 0, 0, 0, false);
    }

    void write() {
        executor.execute(writing, null, null, 0, 0, 0, false);
    }

    private static Query query(String sql) {
        return new Query() {
            @Override
            public String getNativeSql() {
                return sql;
            }

            @Override
            public Query[] getSubqueries() {
                return null;
            }
        };
    }
}
