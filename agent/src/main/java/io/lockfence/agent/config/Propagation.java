/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;

/**
 * The part {@code propagate}: which work runs under the leases of whoever gives it to an executor.
 *
 * @param exclude patterns of class names, of executors, of what makes their threads, or of tasks; {@code *} is anything
 */
public record Propagation(List<String> exclude) {
    /** Where the file says nothing. */
    public static final Propagation EVERYWHERE = new Propagation(List.of());

    public Propagation {
        exclude = List.copyOf(exclude);
    }

    /** Whether a class of this name is left out. */
    public boolean excludes(String className) {
        for (String pattern : exclude) {
            if (Globs.matches(pattern.replace("*", "**"), className)) {
                return true;
            }
        }
        return false;
    }
}
