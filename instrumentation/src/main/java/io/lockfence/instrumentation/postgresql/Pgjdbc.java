/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * What the integration calls of one copy of the driver: several may be loaded in one JVM. Resolved once for each copy; all parts are public
 * API of the driver but two fields.
 *
 * <p>The calls are made by {@link PgjdbcCalls}, in a hidden class for each copy.
 */
abstract class Pgjdbc {
    private static final ClassValue<Pgjdbc> OF_TYPE = new ClassValue<>() {
        @Override
        protected Pgjdbc computeValue(Class<?> type) {
            try {
                return OF_COPY.get(Class.forName("org.postgresql.core.Query", false, type.getClassLoader()));
            } catch (ClassNotFoundException e) {
                throw unknown(e);
            }
        }
    };

    /** By the class of its queries, which knows its loader: a hidden class for each class that asks would never be inlined. */
    private static final ClassValue<Pgjdbc> OF_COPY = new ClassValue<>() {
        @Override
        protected Pgjdbc computeValue(Class<?> query) {
            try {
                return calls(handles(query.getClassLoader()));
            } catch (ReflectiveOperationException | IOException | LinkageError e) {
                throw unknown(e);
            }
        }
    };

    /** The driver that the class of this object belongs to. */
    static Pgjdbc of(Object instance) {
        return OF_TYPE.get(instance.getClass());
    }

    abstract Object executor(Object connection) throws Throwable;

    /** The text as the server gets it. */
    abstract String nativeSql(Object query) throws Throwable;

    /** The parts of a text that holds several statements; null for one statement. */
    abstract Object[] subqueries(Object query) throws Throwable;

    abstract boolean idle(Object queryExecutor) throws Throwable;

    abstract boolean open(Object queryExecutor) throws Throwable;

    abstract boolean failed(Object queryExecutor) throws Throwable;

    abstract boolean closed(Object queryExecutor) throws Throwable;

    abstract int backendPid(Object queryExecutor) throws Throwable;

    /** The server's own function that raised a notice, whatever language its text is in; null if that is not known. */
    abstract String routine(Object warning) throws Throwable;

    /** A parameter of a query as it would stand in a text; the first is 1. */
    abstract String parameter(Object parameters, int index) throws Throwable;

    abstract boolean copyActive(Object copy) throws Throwable;

    /** What the executor's methods exclude each other by; null in versions where they are synchronized, and so held already. */
    abstract Lock lock(Object queryExecutor) throws Throwable;

    /** The connection of an XA resource; null if this version keeps it elsewhere. */
    abstract Connection connectionOf(Object xaResource) throws Throwable;

    private static Pgjdbc calls(Map<String, Object> handles) throws IOException, ReflectiveOperationException {
        byte[] template;
        try (InputStream in = Pgjdbc.class.getResourceAsStream("PgjdbcCalls.class")) {
            if (in == null) {
                throw new IOException("PgjdbcCalls.class was not found");
            }
            template = in.readAllBytes();
        }
        MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClassWithClassData(template, handles, true);
        try {
            return (Pgjdbc) hidden.findConstructor(hidden.lookupClass(), MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Pgjdbc.class))
                    .invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new InvocationTargetException(t);
        }
    }

    /** By the names that {@link PgjdbcCalls} has for them. */
    private static Map<String, Object> handles(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> query = Class.forName("org.postgresql.core.Query", false, loader);
        Class<?> queryExecutor = Class.forName("org.postgresql.core.QueryExecutor", false, loader);
        Class<?> state = Class.forName("org.postgresql.core.TransactionState", true, loader);
        Map<String, Object> handles = new HashMap<>();
        handles.put(
                "executor",
                method("org.postgresql.core.BaseConnection", loader, "getQueryExecutor", queryExecutor, Object.class));
        handles.put("nativeSql", method(query.getName(), loader, "getNativeSql", String.class, String.class));
        handles.put("subqueries", method(query.getName(), loader, "getSubqueries", query.arrayType(), Object[].class));
        handles.put(
                "transactionState",
                method(queryExecutor.getName(), loader, "getTransactionState", state, Object.class));
        handles.put("closed", method(queryExecutor.getName(), loader, "isClosed", boolean.class, boolean.class));
        handles.put("backendPid", method(queryExecutor.getName(), loader, "getBackendPID", int.class, int.class));
        String message = "org.postgresql.util.ServerErrorMessage";
        handles.put(
                "serverMessage",
                method(
                        "org.postgresql.util.PSQLWarning",
                        loader,
                        "getServerErrorMessage",
                        Class.forName(message, false, loader),
                        Object.class));
        handles.put("routine", method(message, loader, "getRoutine", String.class, String.class));
        handles.put(
                "parameter",
                MethodHandles.publicLookup()
                        .findVirtual(
                                Class.forName("org.postgresql.core.ParameterList", false, loader),
                                "toString",
                                MethodType.methodType(String.class, int.class, boolean.class))
                        .asType(MethodType.methodType(String.class, Object.class, int.class, boolean.class)));
        handles.put(
                "copyActive",
                method("org.postgresql.copy.CopyOperation", loader, "isActive", boolean.class, boolean.class));
        handles.put("lock", field("org.postgresql.core.QueryExecutorBase", loader, "lock", Lock.class));
        handles.put("xaConnection", field("org.postgresql.xa.PGXAConnection", loader, "conn", Connection.class));
        for (String name : new String[] {"IDLE", "OPEN", "FAILED"}) {
            handles.put(name, state.getField(name).get(null));
        }
        return handles;
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

    private static IllegalStateException unknown(Throwable cause) {
        return new IllegalStateException("this PostgreSQL driver is not of a shape that Lockfence knows", cause);
    }
}
