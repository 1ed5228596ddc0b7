/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The parts of Curator's lock classes that the integration reads. The same in 4.0.1 and 5.9.0. */
final class Recipes {
    private static final String LOCKS = "org.apache.curator.framework.recipes.locks.";
    private static final String LEADER = "org.apache.curator.framework.recipes.leader.";

    private static final ClassValue<Recipes> OF = new ClassValue<>() {
        @Override
        protected Recipes computeValue(Class<?> type) {
            return new Recipes(type);
        }
    };

    /** {@code InterProcessMutex}. */
    private final MethodHandle internals;

    private final MethodHandle mutexPath;
    private final MethodHandle lockPath;
    private final MethodHandle threadData;
    private final MethodHandle lockCount;
    private final MethodHandle client;
    private final MethodHandle lockName;
    private final MethodHandle driver;
    /** {@code InterProcessSemaphoreV2} and its leases. */
    private final MethodHandle semaphoreClient;

    private final MethodHandle leasesPath;
    private final MethodHandle maxLeases;
    private final MethodHandle nodeName;
    /** {@code LeaderLatch}. */
    private final MethodHandle latchClient;

    private final MethodHandle latchPath;
    private final MethodHandle ourPath;

    private Recipes(Class<?> neighbour) {
        Class<?> mutex = Handles.type(neighbour, LOCKS + "InterProcessMutex");
        internals = Handles.getter(mutex, "internals");
        mutexPath = Handles.getter(mutex, "basePath");
        lockPath = Handles.method(mutex, "getLockPath");
        threadData = Handles.getter(mutex, "threadData");
        lockCount = Handles.getter(Handles.type(neighbour, LOCKS + "InterProcessMutex$LockData"), "lockCount");
        Class<?> lockInternals = Handles.type(neighbour, LOCKS + "LockInternals");
        client = Handles.getter(lockInternals, "client");
        lockName = Handles.getter(lockInternals, "lockName");
        driver = Handles.getter(lockInternals, "driver");
        Class<?> semaphore = Handles.type(neighbour, LOCKS + "InterProcessSemaphoreV2");
        semaphoreClient = Handles.getter(semaphore, "client");
        leasesPath = Handles.getter(semaphore, "leasesPath");
        maxLeases = Handles.getter(semaphore, "maxLeases");
        nodeName = Handles.method(Handles.type(neighbour, LOCKS + "Lease"), "getNodeName");
        Class<?> latch = Handles.type(neighbour, LEADER + "LeaderLatch");
        latchClient = Handles.getter(latch, "client");
        latchPath = Handles.getter(latch, "latchPath");
        ourPath = Handles.getter(latch, "ourPath");
    }

    /** Those of the version that an object is of, which may be a subclass of the service's. */
    static Recipes of(Object recipe) {
        return OF.get(recipe.getClass());
    }

    Session mutexSession(Object mutex) throws Throwable {
        return new Session(client.invoke(internals.invoke(mutex)));
    }

    String mutexPath(Object mutex) throws Throwable {
        return (String) mutexPath.invoke(mutex);
    }

    /** Of the current thread's hold, as the client knows it; null if it has none. */
    String lockPath(Object mutex) throws Throwable {
        return (String) lockPath.invoke(mutex);
    }

    /** How often the current thread, which has it, has acquired it without releasing. */
    int lockCount(Object mutex) throws Throwable {
        Object hold = ((Map<?, ?>) threadData.invoke(mutex)).get(Thread.currentThread());
        return ((AtomicInteger) lockCount.invoke(hold)).get();
    }

    /** What its nodes' names begin with; those of read and write locks differ. */
    String lockName(Object mutex) throws Throwable {
        return (String) lockName.invoke(internals.invoke(mutex));
    }

    String driver(Object mutex) throws Throwable {
        return driver.invoke(internals.invoke(mutex)).getClass().getName();
    }

    Session semaphoreSession(Object semaphore) throws Throwable {
        return new Session(semaphoreClient.invoke(semaphore));
    }

    /** The path of the semaphore and "/leases". */
    String leasesPath(Object semaphore) throws Throwable {
        return (String) leasesPath.invoke(semaphore);
    }

    int maxLeases(Object semaphore) throws Throwable {
        return (int) maxLeases.invoke(semaphore);
    }

    String nodeName(Object lease) throws Throwable {
        return (String) nodeName.invoke(lease);
    }

    Session latchSession(Object latch) throws Throwable {
        return new Session(latchClient.invoke(latch));
    }

    String latchPath(Object latch) throws Throwable {
        return (String) latchPath.invoke(latch);
    }

    /** As the client knows it; null while it has none. */
    @SuppressWarnings("unchecked")
    String ourPath(Object latch) throws Throwable {
        return ((AtomicReference<String>) ourPath.invoke(latch)).get();
    }
}
