/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;

/**
 * One entry of {@code targets}: what the locks protect.
 *
 * @param name for reports and for {@code protects}; unique
 * @param destination where the writes go
 * @param unleased what happens to writes under no lease
 */
public record TargetRule(String name, Destination destination, Unleased unleased) {
    public TargetRule {
        Objects.requireNonNull(name);
        Objects.requireNonNull(destination);
        Objects.requireNonNull(unleased);
    }

    /** The target where none is named: every JDBC database, called {@code jdbc}. */
    public static TargetRule everyDatabase() {
        return new TargetRule(
                "jdbc",
                new JdbcDestination(JdbcPattern.parse("**"), Expired.REFUSE, AfterRelease.REPORT),
                Unleased.ALLOW);
    }

    /**
     * Whether a connection opened with this URL goes to the target.
     *
     * @param jdbcUrl as the driver was given it; never shown
     */
    public boolean matches(String jdbcUrl) {
        return destination instanceof JdbcDestination databases
                && databases.pattern().matches(jdbcUrl);
    }

    /** Whether the target is databases, where guards decide. */
    public boolean isDatabase() {
        return destination instanceof JdbcDestination;
    }

    /** What happens to the effects of work that outlives its lease. */
    public AfterRelease afterRelease() {
        return destination.afterRelease();
    }

    /** Whether the commit of what an expired lease sent in time may pass. */
    public boolean letsExpiredCommit() {
        return destination instanceof JdbcDestination databases && databases.expired() == Expired.GUARD;
    }
}
