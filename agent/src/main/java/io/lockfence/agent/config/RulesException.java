/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;

/** A rules file that cannot be used: every problem of it at once. */
public final class RulesException extends Exception {
    private static final long serialVersionUID = 1;

    private final String file;
    private final transient List<Problem> problems;
    private final boolean strict;

    /**
     * @param file as messages name it
     * @param problems at least one, in the order of the file
     * @param strict whether the file, as far as it can be read, asks to stop the JVM for this
     */
    public RulesException(String file, List<Problem> problems, boolean strict) {
        super(String.join(
                System.lineSeparator(),
                problems.stream().map(problem -> problem.in(file)).toList()));
        this.file = file;
        this.problems = List.copyOf(problems);
        this.strict = strict;
    }

    /** The file, as messages name it. */
    public String file() {
        return file;
    }

    /** At least one, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }

    /** Whether the file, as far as it can be read, says {@code strict: true}: the JVM is to stop. */
    public boolean strict() {
        return strict;
    }

    /** One line for each problem, as compilers write them. */
    public List<String> lines() {
        return problems.stream().map(problem -> problem.in(file)).toList();
    }
}
