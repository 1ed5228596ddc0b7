/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.util.List;
import java.util.Set;

/** A library that Lockfence knows: one package, one implementation of this interface. */
public interface Library {
    /** The name that rules and reports use, such as {@code redisson}. */
    String name();

    /** Where to weave, read from top to bottom. */
    List<Point> points();

    /** Where to weave as well, in a JVM that was running before Lockfence came: there to meet what is older. Each has a capability of its own. */
    default List<Point> latePoints() {
        return List.of();
    }

    /**
     * Packages of the JDK whose classes the integration calls though they are no API, as {@code module/package}: opened to it when the first of its classes is woven.
     */
    default Set<String> opens() {
        return Set.of();
    }

    /**
     * How much of the library's promise is kept, from the capabilities that were woven so far.
     *
     * @param woven the {@link Point#capability()} of every point that matched at least one method
     */
    Level level(Set<String> woven);

    /** The fail-safe ladder: a hook that some version lacks lowers the level, and the report says so. */
    enum Level {
        /** Everything is seen as it happens. */
        FULL,
        /** Renewals are not seen: the coordinator is asked when time runs short. */
        PROBING,
        /** Single attempts are not seen: the coordinator is asked after each acquire call. */
        ASKING,
        /** No token can be had: writes under such locks are refused. */
        TOKENLESS,
        /** The class is not of a shape that we know: what it should have fenced is refused. */
        INACTIVE
    }
}
