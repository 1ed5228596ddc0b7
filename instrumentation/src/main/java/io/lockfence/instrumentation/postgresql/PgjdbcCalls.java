/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * The calls to one copy of the driver. Never used as it is: each copy gets a hidden class made from these bytes, whose class data are the
 * handles. So they are constants to the compiler, which sees through them (each call through a handle in an instance field took 5 ns).
 */
final class PgjdbcCalls extends Pgjdbc {
    private static final Map<?, ?> HANDLES = handles();
    private static final MethodHandle EXECUTOR = handle("executor");
    private static final MethodHandle NATIVE_SQL = handle("nativeSql");
    private static final MethodHandle SUBQUERIES = handle("subqueries");
    private static final MethodHandle TRANSACTION_STATE = handle("transactionState");
    private static final MethodHandle CLOSED = handle("closed");
    private static final MethodHandle BACKEND_PID = handle("backendPid");
    private static final MethodHandle SERVER_MESSAGE = handle("serverMessage");
    private static final MethodHandle ROUTINE = handle("routine");
    private static final MethodHandle PARAMETER = handle("parameter");
    private static final MethodHandle COPY_ACTIVE = handle("copyActive");
    private static final MethodHandle LOCK = handle("lock");
    private static final MethodHandle XA_CONNECTION = handle("xaConnection");
    private static final Object IDLE = HANDLES.get("IDLE");
    private static final Object OPEN = HANDLES.get("OPEN");
    private static final Object FAILED = HANDLES.get("FAILED");

    @Override
    Object executor(Object connection) throws Throwable {
        return (Object) EXECUTOR.invokeExact(connection);
    }

    @Override
    String nativeSql(Object query) throws Throwable {
        return (String) NATIVE_SQL.invokeExact(query);
    }

    @Override
    Object[] subqueries(Object query) throws Throwable {
        return (Object[]) SUBQUERIES.invokeExact(query);
    }

    @Override
    boolean idle(Object queryExecutor) throws Throwable {
        return (Object) TRANSACTION_STATE.invokeExact(queryExecutor) == IDLE;
    }

    @Override
    boolean open(Object queryExecutor) throws Throwable {
        return (Object) TRANSACTION_STATE.invokeExact(queryExecutor) == OPEN;
    }

    @Override
    boolean failed(Object queryExecutor) throws Throwable {
        return (Object) TRANSACTION_STATE.invokeExact(queryExecutor) == FAILED;
    }

    @Override
    boolean closed(Object queryExecutor) throws Throwable {
        return (boolean) CLOSED.invokeExact(queryExecutor);
    }

    @Override
    int backendPid(Object queryExecutor) throws Throwable {
        return (int) BACKEND_PID.invokeExact(queryExecutor);
    }

    @Override
    String routine(Object warning) throws Throwable {
        Object message = (Object) SERVER_MESSAGE.invokeExact(warning);
        return message == null ? null : (String) ROUTINE.invokeExact(message);
    }

    @Override
    String parameter(Object parameters, int index) throws Throwable {
        return (String) PARAMETER.invokeExact(parameters, index, true);
    }

    @Override
    boolean copyActive(Object copy) throws Throwable {
        return (boolean) COPY_ACTIVE.invokeExact(copy);
    }

    @Override
    Lock lock(Object queryExecutor) throws Throwable {
        return LOCK == null ? null : (Lock) LOCK.invokeExact(queryExecutor);
    }

    @Override
    Connection connectionOf(Object xaResource) throws Throwable {
        return XA_CONNECTION == null ? null : (Connection) XA_CONNECTION.invokeExact(xaResource);
    }

    private static MethodHandle handle(String name) {
        return (MethodHandle) HANDLES.get(name);
    }

    private static Map<?, ?> handles() {
        try {
            return MethodHandles.classData(MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, Map.class);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
