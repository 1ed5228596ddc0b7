/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network that keeps the first claim of a driver's connections: whoever sent it is told that the connection is broken, and the server gets it when it
 * {@link #arrives}.
 */
final class HeldUpClaim {
    private record Call(Method method, Object[] arguments) {}

    private final String url;
    private final List<Call> parameters = new ArrayList<>();
    private String sql;
    private boolean onlyTheAnswer;
    private Runnable slowness;

    HeldUpClaim(String url) {
        this.url = url;
    }

    /** Only the answer is lost. */
    HeldUpClaim thatArrivesAtOnce() {
        onlyTheAnswer = true;
        return this;
    }

    /** The claim gets through at once, and its answer when this has run. */
    HeldUpClaim answeredAfter(Runnable slow) {
        slowness = slow;
        return this;
    }

    /** A driver that must be kept as long as claims are to go through it. */
    Driver driver() throws SQLException {
        Driver real = DriverManager.getDriver(url);
        return proxy(Driver.class, (method, arguments) -> {
            Object result = call(real, method, arguments);
            return result instanceof Connection connection ? connection(connection) : result;
        });
    }

    /** Now the server executes the claim; nobody listens to its answer. */
    void arrives() throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (Call parameter : parameters) {
                call(statement, parameter.method(), parameter.arguments());
            }
            statement.executeQuery().close();
        }
    }

    boolean isUnderWay() {
        return sql != null;
    }

    private Connection connection(Connection real) {
        return proxy(Connection.class, (method, arguments) -> {
            Object result = call(real, method, arguments);
            if (result instanceof PreparedStatement statement
                    && sql == null
                    && arguments[0].toString().contains("lockfence.claim(")) {
                sql = arguments[0].toString();
                return statement(statement);
            }
            return result;
        });
    }

    private PreparedStatement statement(PreparedStatement real) {
        return proxy(PreparedStatement.class, (method, arguments) -> {
            if (method.getName().equals("executeQuery") && slowness != null) {
                Object answer = call(real, method, arguments);
                slowness.run();
                return answer;
            }
            if (method.getName().equals("executeQuery")) {
                if (onlyTheAnswer) {
                    arrives();
                }
                throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
            }
            if (method.getName().startsWith("set") && arguments.length >= 2) {
                parameters.add(new Call(method, arguments));
            }
            return call(real, method, arguments);
        });
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.handle(method, arguments == null ? new Object[0] : arguments)));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
