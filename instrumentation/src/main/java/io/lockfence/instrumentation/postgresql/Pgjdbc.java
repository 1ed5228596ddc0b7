/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.util.concurrent.locks.Lock;

/**
 * What the integration calls of one copy of the driver: several may be loaded in one JVM. Resolved once for each class that asks;
 * all parts are public API of the driver but two fields.
 */
final class Pgjdbc {
    private static final ClassValue<Pgjdbc> OF = new ClassValue<>() {
        @Override
        protected Pgjdbc computeValue(Class<?> type) {
            try {
                return new Pgjdbc(type.getClassLoader());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this PostgreSQL driver is not of a shape that Lockfence knows", e);
            }
        }
    };

    private final MethodHandle executor;
    private final MethodHandle nativeSql;
    private final MethodHandle subqueries;
    private final MethodHandle transactionState;
    private final MethodHandle closed;
    private final MethodHandle backendPid;
    private final MethodHandle copyActive;
    private final MethodHandle lock;
    private final MethodHandle xaConnection;
    private final Object idle;
    private final Object open;
    private final Object failed;

    private Pgjdbc(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> query = Class.forName("org.postgresql.core.Query", false, loader);
        Class<?> queryExecutor = Class.forName("org.postgresql.core.QueryExecutor", false, loader);
        Class<?> state = Class.forName("org.postgresql.core.TransactionState", true, loader);
        executor =
                method("org.postgresql.core.BaseConnection", loader, "getQueryExecutor", queryExecutor, Object.class);
        nativeSql = method(query.getName(), loader, "getNativeSql", String.class, String.class);
        subqueries = method(query.getName(), loader, "getSubqueries", query.arrayType(), Object[].class);
        transactionState = method(queryExecutor.getName(), loader, "getTransactionState", state, Object.class);
        closed = method(queryExecutor.getName(), loader, "isClosed", boolean.class, boolean.class);
        backendPid = method(queryExecutor.getName(), loader, "getBackendPID", int.class, int.class);
        copyActive = method("org.postgresql.copy.CopyOperation", loader, "isActive", boolean.class, boolean.class);
        lock = field("org.postgresql.core.QueryExecutorBase", loader, "lock", Lock.class);
        xaConnection = field("org.postgresql.xa.PGXAConnection", loader, "conn", Connection.class);
        idle = constant(state, "IDLE");
        open = constant(state, "OPEN");
        failed = constant(state, "FAILED");
    }

    /** The driver that the class of this object belongs to. */
    static Pgjdbc of(Object instance) {
        return OF.get(instance.getClass());
    }

    Object executor(Object connection) throws Throwable {
        return (Object) executor.invokeExact(connection);
    }

    /** The text as the server gets it. */
    String nativeSql(Object query) throws Throwable {
        return (String) nativeSql.invokeExact(query);
    }

    /** The parts of a text that holds several statements; null for one statement. */
    Object[] subqueries(Object query) throws Throwable {
        return (Object[]) subqueries.invokeExact(query);
    }

    boolean idle(Object queryExecutor) throws Throwable {
        return (Object) transactionState.invokeExact(queryExecutor) == idle;
    }

    boolean open(Object queryExecutor) throws Throwable {
        return (Object) transactionState.invokeExact(queryExecutor) == open;
    }

    boolean failed(Object queryExecutor) throws Throwable {
        return (Object) transactionState.invokeExact(queryExecutor) == failed;
    }

    boolean closed(Object queryExecutor) throws Throwable {
        return (boolean) closed.invokeExact(queryExecutor);
    }

    int backendPid(Object queryExecutor) throws Throwable {
        return (int) backendPid.invokeExact(queryExecutor);
    }

    boolean copyActive(Object copy) throws Throwable {
        return (boolean) copyActive.invokeExact(copy);
    }

    /** What the executor's methods exclude each other by; null in versions where they are synchronized, and so held already. */
    Lock lock(Object queryExecutor) throws Throwable {
        return lock == null ? null : (Lock) lock.invokeExact(queryExecutor);
    }

    /** The connection of an XA resource; null if this version keeps it elsewhere. */
    Connection connectionOf(Object xaResource) throws Throwable {
        return xaConnection == null ? null : (Connection) xaConnection.invokeExact(xaResource);
    }

    private static MethodHandle method(String type, ClassLoader loader, String name, Class<?> returned, Class<?> seenAs)
            throws ReflectiveOperationException {
        return MethodHandles.publicLookup()
                .findVirtual(Class.forName(type, false, loader), name, MethodType.methodType(returned))
                .asType(MethodType.methodType(seenAs, Object.class));
    }

    /** Null where a version has no such class or field. */
    private static MethodHandle field(String type, ClassLoader loader, String name, Class<?> seenAs)
            throws IllegalAccessException {
        try {
            Field field = Class.forName(type, false, loader).getDeclaredField(name);
            field.setAccessible(true);
            return MethodHandles.lookup().unreflectGetter(field).asType(MethodType.methodType(seenAs, Object.class));
        } catch (ClassNotFoundException | NoSuchFieldException e) {
            return null;
        }
    }

    private static Object constant(Class<?> state, String name) throws ReflectiveOperationException {
        return state.getField(name).get(null);
    }
}
