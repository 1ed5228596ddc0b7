/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Nothing is woven where the agent sees all connections being opened. */
public final class HikariLibrary implements Library {
    /** In pieces: the build gives another name to each constant that names our own copy. */
    static final String PACKAGE = String.join(".", "com", "zaxxer", "hikari", "");

    @Override
    public String name() {
        return "hikaricp";
    }

    @Override
    public List<Point> points() {
        return List.of();
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
