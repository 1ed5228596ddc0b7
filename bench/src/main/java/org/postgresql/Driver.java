/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.v3.QueryExecutorImpl;

/**
 * The stub driver: its connections send nothing and answer what Lockfence asks for its claims as a database with an installed fence
 * would. It has the class names of pgjdbc, so the agent weaves it.
 */
public class Driver implements java.sql.Driver {
    @Override
    public Connection connect(String url, Properties info) {
        QueryExecutorImpl executor = new QueryExecutorImpl();
        return stub(BaseConnection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getQueryExecutor" -> executor;
            case "prepareStatement" -> statement((String) arguments[0]);
            case "createStatement" -> statement("");
            case "isValid" -> true;
            case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
            case "getAutoCommit" -> true;
            default -> nothing(method);
        });
    }

    private static PreparedStatement statement(String prepared) {
        return stub(
                PreparedStatement.class,
                (proxy, method, arguments) -> method.getName().equals("executeQuery")
                        ? result(row(arguments == null ? prepared : (String) arguments[0]))
                        : nothing(method));
    }

    /** The one row that the database answers with; null for none. */
    private static Object[] row(String sql) {
        if (sql.contains("pg_is_in_recovery")) {
            return new Object[] {false, 180000, "bench", false, "bench", true, "SELECT 1", 6, 6};
        } else if (sql.contains("lockfence.claim")) {
            return new Object[] {"claimed", null};
        }
        return sql.contains("transaction_isolation") ? new Object[] {"read committed"} : null;
    }

    private static ResultSet result(Object[] row) {
        AtomicInteger rows = new AtomicInteger(row == null ? 0 : 1);
        return stub(ResultSet.class, (proxy, method, arguments) -> {
            if (method.getName().equals("next")) {
                return rows.getAndDecrement() > 0;
            }
            return method.getName().startsWith("get") ? row[(int) arguments[0] - 1] : nothing(method);
        });
    }

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(
                Driver.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> "stub " + type.getSimpleName();
                    default -> handler.invoke(proxy, method, arguments);
                }));
    }

    private static Object nothing(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned == boolean.class) {
            return false;
        }
        if (returned == int.class) {
            return 0;
        }
        return returned == long.class ? 0L : null;
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith("jdbc:postgresql:");
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 42;
    }

    @Override
    public int getMinorVersion() {
        return 7;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
