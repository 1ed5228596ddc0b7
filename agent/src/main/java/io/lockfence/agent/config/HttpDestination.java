/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;
import java.util.Set;

/**
 * Services that requests go to.
 *
 * @param pattern of their URLs
 * @param methods which are refused under a dead lease, in capitals; the header goes on every request
 * @param afterRelease what happens to requests of work that outlives its lease
 * @param key the environment variable that holds the key to sign with; null for no signature
 */
public record HttpDestination(HttpPattern pattern, Set<String> methods, AfterRelease afterRelease, String key)
        implements Destination {
    /** {@link #methods} where the file says nothing. */
    public static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE");

    public HttpDestination {
        Objects.requireNonNull(pattern);
        methods = Set.copyOf(methods);
        Objects.requireNonNull(afterRelease);
    }
}
