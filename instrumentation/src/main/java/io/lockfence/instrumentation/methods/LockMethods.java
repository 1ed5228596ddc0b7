/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * One rule on locks that methods take and give back.
 *
 * @param library as this rule's locks are reported in {@link io.lockfence.bootstrap.Acquisition#library()}
 * @param always whether an acquire method has taken the lock whenever it returns; if not, its result tells
 * @param resource how the lock is named, in parts
 * @param lease how long it is granted for; null if that is not known
 * @param token where its fencing token is; null if it has none
 * @param released whether any method gives it back
 * @param process whether its leases cover the work of every thread, as leadership does
 */
public record LockMethods(
        String library,
        boolean always,
        List<Part> resource,
        LeaseTime lease,
        Path token,
        boolean released,
        boolean process) {
    /**
     * A part of a name.
     *
     * @param literal text; null for a path
     * @param path null for text
     */
    public record Part(String literal, Path path) {}

    /**
     * How long a lock is granted for.
     *
     * @param constant for every call; null if it is read from the call
     * @param value where it is read from, a {@code Duration} or a number; null for a constant
     * @param unit of the number; null for a {@code Duration}, or where it is read as well
     * @param unitValue where the {@code TimeUnit} or {@code ChronoUnit} is read from; null if it is not
     */
    public record LeaseTime(Duration constant, Path value, ChronoUnit unit, Path unitValue) {}

    public LockMethods {
        resource = List.copyOf(resource);
    }

    /** Whether the name needs what the call returned. */
    boolean namedByResult() {
        return resource.stream()
                .anyMatch(part -> part.path() != null && part.path().root() == Path.Root.RESULT);
    }

    /** The name as the rules have it, for a call that cannot be named. */
    String template() {
        StringBuilder text = new StringBuilder();
        resource.forEach(part -> text.append(part.path() == null ? part.literal() : "{" + part.path() + "}"));
        return text.toString();
    }
}
