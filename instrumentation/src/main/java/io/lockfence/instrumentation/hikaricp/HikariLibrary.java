/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** What a pool knows and a driver does not: that a connection was given back, and, in a JVM that is older than the agent, how one is opened. */
public final class HikariLibrary implements Library {
    /** In pieces: the build gives another name to each constant that names our own copy. */
    static final String PACKAGE = String.join(".", "com", "zaxxer", "hikari", "");

    @Override
    public String name() {
        return "hikaricp";
    }

    @Override
    public List<Point> points() {
        return List.of(new Point(
                PACKAGE + "pool.PoolEntry", "recycle", "()V", GiveBackAdvice.class, "connections given back"));
    }

    @Override
    public List<Point> latePoints() {
        return List.of(new Point(
                PACKAGE + "pool.HikariPool",
                "getConnection",
                "(J)Ljava/sql/Connection;",
                CheckoutAdvice.class,
                "pools opened before"));
    }

    @Override
    public Level level(Set<String> woven) {
        return Level.FULL;
    }
}
