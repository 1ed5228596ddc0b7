/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The pools that are older than the agent. Each opens one connection more when it is met first, as it opens its own, and closes it at once: the driver's
 * integration sees it, and with it how one is opened.
 */
final class Pools {
    private static final Beside<Object, Boolean> MET = new Beside<>();

    private Pools() {}

    static void met(Object pool) {
        if (MET.get(pool) == null && Seams.effects() != null) {
            meet(pool);
        }
    }

    /** Whoever comes meanwhile waits: what it is about to send may need what is learnt here. */
    private static synchronized void meet(Object pool) {
        if (MET.get(pool) != null) {
            return;
        }
        try {
            open(pool).close();
        } catch (SQLException | ReflectiveOperationException | RuntimeException e) {
            // No fault that a lease would have to pay for.
            Seams.leaseEvents()
                    .degraded(
                            "hikaricp",
                            "a pool that is older than Lockfence did not show how it connects (" + e
                                    + "); until the service opens a connection, claims connect with what the open ones tell");
        } finally {
            MET.put(pool, true);
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
