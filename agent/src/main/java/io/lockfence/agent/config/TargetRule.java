/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;

/**
 * One entry of {@code targets}: databases that the locks protect.
 *
 * @param name for reports and for {@code protects}; unique
 * @param jdbc which databases
 * @param unleased what happens to writes under no lease
 * @param expired what happens to the commit of what an expired lease sent in time
 */
public record TargetRule(String name, JdbcPattern jdbc, Unleased unleased, Expired expired) {
    public TargetRule {
        Objects.requireNonNull(name);
        Objects.requireNonNull(jdbc);
        Objects.requireNonNull(unleased);
        Objects.requireNonNull(expired);
    }

    /** The target where none is named: every JDBC database, called {@code jdbc}. */
    public static TargetRule everyDatabase() {
        return new TargetRule("jdbc", JdbcPattern.parse("**"), Unleased.ALLOW, Expired.REFUSE);
    }

    /**
     * Whether a connection opened with this URL goes to the target.
     *
     * @param jdbcUrl as the driver was given it; never shown
     */
    public boolean matches(String jdbcUrl) {
        return jdbc.matches(jdbcUrl);
    }
}
