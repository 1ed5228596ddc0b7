/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The parts of Curator's lock classes that the integration reads. The same in 4.0.1 and 5.9.0. Each recipe by itself: a service may have left others out of its
 * jar.
 */
final class Recipes {
    private static final String LOCKS = "org.apache.curator.framework.recipes.locks.";
    private static final String LEADER = "org.apache.curator.framework.recipes.leader.";

    private Recipes() {}

    /** {@code InterProcessMutex}, and subclasses of the service's. */
    static final class Mutex {
        private static final ClassValue<Mutex> OF = new ClassValue<>() {
            @Override
            protected Mutex computeValue(Class<?> type) {
                return new Mutex(type);
            }
        };

        private final MethodHandle internals;
        private final MethodHandle path;
        private final MethodHandle node;
        private final MethodHandle threadData;
        private final MethodHandle lockCount;
        private final MethodHandle client;
        private final MethodHandle lockName;
        private final MethodHandle driver;

        private Mutex(Class<?> neighbour) {
            Class<?> mutex = Handles.type(neighbour, LOCKS + "InterProcessMutex");
            internals = Handles.getter(mutex, "internals");
            path = Handles.getter(mutex, "basePath");
            node = Handles.method(mutex, "getLockPath");
            threadData = Handles.getter(mutex, "threadData");
            lockCount = Handles.getter(Handles.type(neighbour, LOCKS + "InterProcessMutex$LockData"), "lockCount");
            Class<?> lockInternals = Handles.type(neighbour, LOCKS + "LockInternals");
            client = Handles.getter(lockInternals, "client");
            lockName = Handles.getter(lockInternals, "lockName");
            driver = Handles.getter(lockInternals, "driver");
        }

        static Mutex of(Object mutex) {
            return OF.get(mutex.getClass());
        }

        Session session(Object mutex) throws Throwable {
            return new Session(client.invoke(internals.invoke(mutex)));
        }

        String path(Object mutex) throws Throwable {
            return (String) path.invoke(mutex);
        }

        /** The path of the current thread's node, as the client knows it; null if it has none. */
        String node(Object mutex) throws Throwable {
            return (String) node.invoke(mutex);
        }

        /** How often the current thread, which has it, has acquired it without releasing. */
        int count(Object mutex) throws Throwable {
            Object hold = ((Map<?, ?>) threadData.invoke(mutex)).get(Thread.currentThread());
            return ((AtomicInteger) lockCount.invoke(hold)).get();
        }

        /** What its nodes' names begin with; those of read and write locks differ. */
        String nodePrefix(Object mutex) throws Throwable {
            return (String) lockName.invoke(internals.invoke(mutex));
        }

        /** The class of what orders the holders. */
        String driver(Object mutex) throws Throwable {
            return driver.invoke(internals.invoke(mutex)).getClass().getName();
        }
    }

    /** {@code InterProcessSemaphoreV2}, and its leases. */
    static final class Semaphore {
        private static final ClassValue<Semaphore> OF = new ClassValue<>() {
            @Override
            protected Semaphore computeValue(Class<?> type) {
                return new Semaphore(type);
            }
        };

        private final MethodHandle client;
        private final MethodHandle leasesPath;
        private final MethodHandle maxLeases;
        private final MethodHandle nodeName;

        private Semaphore(Class<?> neighbour) {
            Class<?> semaphore = Handles.type(neighbour, LOCKS + "InterProcessSemaphoreV2");
            client = Handles.getter(semaphore, "client");
            leasesPath = Handles.getter(semaphore, "leasesPath");
            maxLeases = Handles.getter(semaphore, "maxLeases");
            nodeName = Handles.method(Handles.type(neighbour, LOCKS + "Lease"), "getNodeName");
        }

        static Semaphore of(Object semaphore) {
            return OF.get(semaphore.getClass());
        }

        Session session(Object semaphore) throws Throwable {
            return new Session(client.invoke(semaphore));
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
    }

    /** {@code LeaderLatch}. */
    static final class Latch {
        private static final ClassValue<Latch> OF = new ClassValue<>() {
            @Override
            protected Latch computeValue(Class<?> type) {
                return new Latch(type);
            }
        };

        private final MethodHandle client;
        private final MethodHandle path;
        private final MethodHandle ourPath;

        private Latch(Class<?> neighbour) {
            Class<?> latch = Handles.type(neighbour, LEADER + "LeaderLatch");
            client = Handles.getter(latch, "client");
            path = Handles.getter(latch, "latchPath");
            ourPath = Handles.getter(latch, "ourPath");
        }

        static Latch of(Object latch) {
            return OF.get(latch.getClass());
        }

        Session session(Object latch) throws Throwable {
            return new Session(client.invoke(latch));
        }

        String path(Object latch) throws Throwable {
            return (String) path.invoke(latch);
        }

        /** The path of its node, as the client knows it; null while it has none. */
        @SuppressWarnings("unchecked")
        String node(Object latch) throws Throwable {
            return ((AtomicReference<String>) ourPath.invoke(latch)).get();
        }
    }
}
