/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong with one file, up to a number that people can still read. */
final class Problems {
    private static final int MOST = 100;

    private final Set<Problem> all = new LinkedHashSet<>();

    void add(YamlNode at, String what, String expected, String nearest) {
        add(new Problem(at.line(), at.column(), what, expected, nearest));
    }

    void add(YamlNode at, String what, String expected) {
        add(at, what, expected, "");
    }

    /** Two entries of one list have the same name. */
    void twice(Section later, Section earlier) {
        add(
                later.at("name"),
                later.label() + " stands twice, first at line "
                        + earlier.at("name").line(),
                "expected another name");
    }

    void add(Problem problem) {
        if (!full()) {
            all.add(problem);
        }
    }

    /** Whether more would not be shown: the reader stops looking. */
    boolean full() {
        return all.size() >= MOST;
    }

    boolean none() {
        return all.isEmpty();
    }

    /** In the order of the file. */
    List<Problem> list() {
        List<Problem> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.<Problem>comparingInt(Problem::line).thenComparingInt(Problem::column));
        if (full()) {
            sorted.add(Problem.of("more than " + MOST + " problems", "these are the first"));
        }
        return sorted;
    }
}
