/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Workers;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The pools that are older than the agent. Each opens one connection more when it is met first, as it opens its own, and closes it at once: the driver's
 * integration sees it, and with it how one is opened. That is done behind the service's back, once for each pool, and where claims may be made at all.
 */
final class Pools {
    /** What a thread waits for it that takes a connection: a claim, which it may make soon, needs what is learnt. */
    private static final long LONGEST_WAIT_SECONDS = 1;

    private static final Beside<Object, CountDownLatch> MET = new Beside<>();

    private Pools() {}

    static void met(Object pool) {
        CountDownLatch learnt = MET.get(pool);
        if (learnt == null) {
            Effects effects = Seams.effects();
            if (effects == null || !effects.mayBeClaimed(url(pool))) {
                return;
            }
            learnt = meet(pool);
        }
        if (learnt.getCount() > 0) {
            await(learnt);
        }
    }

    private static CountDownLatch meet(Object pool) {
        CountDownLatch learnt = new CountDownLatch(1);
        synchronized (MET) {
            CountDownLatch before = MET.get(pool);
            if (before != null) {
                return before;
            }
            MET.put(pool, learnt);
        }
        Workers.onWorker(() -> learn(pool, learnt)).run();
        return learnt;
    }

    private static void learn(Object pool, CountDownLatch learnt) {
        try {
            open(pool).close();
        } catch (SQLException | ReflectiveOperationException | RuntimeException e) {
            // No fault that a lease would have to pay for.
            LeaseEvents events = Seams.leaseEvents();
            if (events != null) {
                events.degraded(
                        "hikaricp",
                        "a pool that is older than Lockfence did not show how it connects (" + e
                                + "); until the service opens a connection, claims connect with what the open ones tell");
            }
        } finally {
            learnt.countDown();
        }
    }

    private static void await(CountDownLatch learnt) {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
        while (true) {
            try {
                boolean unused = learnt.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Null where the pool has a data source and no URL. */
    private static String url(Object pool) {
        try {
            return (String) call(pool.getClass().getField("config").get(pool), "getJdbcUrl");
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private static Connection open(Object pool) throws ReflectiveOperationException, SQLException {
        DataSource source = (DataSource) call(pool, "getUnwrappedDataSource");
        if (source.getClass().getName().startsWith(HikariLibrary.PACKAGE)) {
            // A driver's, with the credentials in it.
            return source.getConnection();
        }
        Object config = pool.getClass().getField("config").get(pool);
        String user = (String) call(config, "getUsername");
        return user == null ? source.getConnection() : source.getConnection(user, (String) call(config, "getPassword"));
    }

    private static Object call(Object on, String name) throws ReflectiveOperationException {
        Method method = on.getClass().getMethod(name);
        method.setAccessible(true);
        return method.invoke(on);
    }
}
