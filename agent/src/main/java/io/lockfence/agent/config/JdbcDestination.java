/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;

/**
 * Databases.
 *
 * @param pattern of their URLs
 * @param expired what happens to the commit of what an expired lease sent in time
 */
public record JdbcDestination(JdbcPattern pattern, Expired expired) implements Destination {
    public JdbcDestination {
        Objects.requireNonNull(pattern);
        Objects.requireNonNull(expired);
    }
}
