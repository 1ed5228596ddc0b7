/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;

/**
 * Databases.
 *
 * @param pattern of their URLs
 * @param expired what happens to the commit of what an expired lease sent in time
 * @param afterRelease what happens to statements of work that outlives its lease
 */
public record JdbcDestination(JdbcPattern pattern, Expired expired, AfterRelease afterRelease) implements Destination {
    public JdbcDestination {
        Objects.requireNonNull(pattern);
        Objects.requireNonNull(expired);
        Objects.requireNonNull(afterRelease);
    }
}
