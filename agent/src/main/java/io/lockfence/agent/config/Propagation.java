/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/** The part {@code propagate}: which work runs under the leases of whoever gives it to an executor. Immutable. */
public final class Propagation {
    /** Where the file says nothing. */
    public static final Propagation EVERYWHERE = new Propagation(List.of());

    /** What no class name holds, as far as people write it by mistake; in an expression, between brackets. */
    static final String NO_NAME = "\\s#()<>\\[\\]{},:;!?@&=+|~^%\"'`";

    static final int LONGEST = 300;

    private final List<String> exclude;
    private final List<Glob> globs = new ArrayList<>();

    /**
     * @param exclude patterns of class names, of executors, of what makes their threads, or of tasks; {@code *} is any run of characters
     * @throws IllegalArgumentException saying what is wrong with one
     */
    public Propagation(List<String> exclude) {
        this.exclude = List.copyOf(exclude);
        for (String pattern : exclude) {
            globs.add(glob(pattern));
        }
    }

    /** @throws IllegalArgumentException saying what is wrong with the pattern */
    static Glob glob(String pattern) {
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        if (pattern.length() > LONGEST) {
            throw new IllegalArgumentException("it is too long: use '*'");
        }
        if (pattern.contains("**")) {
            throw new IllegalArgumentException("'*' alone is any run of characters");
        }
        if (pattern.matches("(?s).*[" + NO_NAME + "].*")) {
            throw new IllegalArgumentException("it holds what is in no name of a class");
        }
        // In names of hidden classes there is a "/", which a single star would not match.
        return Glob.parse(pattern.replace("*", "**"));
    }

    /** As they stand in the rules. */
    public List<String> exclude() {
        return exclude;
    }

    /** Whether a class of this name is left out. */
    public boolean excludes(String className) {
        for (Glob glob : globs) {
            if (glob.matches(className)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Propagation that && exclude.equals(that.exclude);
    }

    @Override
    public int hashCode() {
        return exclude.hashCode();
    }

    @Override
    public String toString() {
        return "exclude " + exclude;
    }
}
