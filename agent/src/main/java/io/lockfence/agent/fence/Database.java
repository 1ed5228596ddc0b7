/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.TargetRule;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One protected database that this JVM has opened: its target in the rules, its SQL, and the few connections of our own to it.
 * Thread safe.
 */
final class Database {
    private static final long FORGET_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private volatile TargetRule target;
    private final String shownUrl;
    private final Dialect dialect;
    private final Kinds kinds;
    private final Snapshots snapshots = new Snapshots(this);
    private final ClaimConnections connections;
    private final AtomicInteger tracked = new AtomicInteger();
    /** Only so many claims may sit in the server and wait for a fence: the others poll, and leave connections to those that need not wait. */
    private final Semaphore waiters = new Semaphore(2);

    private volatile long failedAt = System.nanoTime() - FORGET_FAILURE_NANOS;

    Database(TargetRule target, String shownUrl, Dialect dialect) {
        this.target = target;
        this.shownUrl = shownUrl;
        this.dialect = dialect;
        this.kinds = new Kinds(dialect);
        this.connections = new ClaimConnections("lockfence " + shownUrl, dialect);
    }

    TargetRule target() {
        return target;
    }

    /** What other rules say of it. */
    void target(TargetRule next) {
        target = next;
    }

    /** The target's name, for messages. */
    String name() {
        return target().name();
    }

    /** Without credentials and parameters. */
    String shownUrl() {
        return shownUrl;
    }

    Dialect dialect() {
        return dialect;
    }

    FenceSql sql() {
        return dialect.sql();
    }

    Kinds kinds() {
        return kinds;
    }

    Snapshots snapshots() {
        return snapshots;
    }

    /** How the service opened it last: claims go the same way. */
    void opened(Driver driver, String url, Properties info) {
        connections.as(driver, url, info);
        tracked.incrementAndGet();
    }

    /** A connection was met that the service opened before. */
    void adopted(Driver driver, String url, Properties info) {
        connections.unlessKnown(driver, url, info);
        tracked.incrementAndGet();
    }

    void closed() {
        tracked.decrementAndGet();
    }

    Semaphore waiters() {
        return waiters;
    }

    /** It could not be reached: leases that access others first do not wait for it again for a while. */
    void failed() {
        failedAt = System.nanoTime();
    }

    boolean failedLately() {
        return System.nanoTime() - failedAt < FORGET_FAILURE_NANOS;
    }

    int tracked() {
        return tracked.get();
    }

    /**
     * A connection of our own: autocommit, READ COMMITTED. Close it to give it back.
     *
     * @throws SQLException if none can be had within that time
     */
    Connection connect(Duration within) throws SQLException {
        return connections.connect(within);
    }

    @Override
    public String toString() {
        return name() + " (" + shownUrl + ")";
    }
}
