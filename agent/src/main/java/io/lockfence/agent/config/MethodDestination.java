/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;
import java.util.Objects;

/**
 * Whatever methods of the service write to: there is no fence, and their calls are refused before they run.
 *
 * @param methods at least one
 * @param afterRelease what happens to calls of work that outlives its lease
 */
public record MethodDestination(List<MethodName> methods, AfterRelease afterRelease) implements Destination {
    public MethodDestination {
        methods = List.copyOf(methods);
        Objects.requireNonNull(afterRelease);
    }
}
