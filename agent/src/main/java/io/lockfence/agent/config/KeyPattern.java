/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of lock names: {@code order:{id}}. {@code {x}} captures and {@code *} matches any run of characters, the empty one too, so
 * that a lock whose id is missing is still fenced; where several splits are possible, the earlier runs are as short as they can be.
 * <code>{{</code> and <code>}}</code> stand for a brace (Redis Cluster hash tags). Immutable; matching takes time linear in the name.
 */
public final class KeyPattern {
    /** A character that no lock name holds, for a run in {@link #covers}. */
    private static final String ANY = "\uFFFF";

    private static final int MOST_RUNS = 20;

    private final String text;
    /** What stands before, between and after the runs: one more than {@link #runs}. */
    private final List<String> literals;
    /** Names of the captures in order; the empty name is a {@code *}. */
    private final List<String> runs;

    private final String shape;

    private KeyPattern(String text, List<String> literals, List<String> runs) {
        this.text = text;
        this.literals = List.copyOf(literals);
        this.runs = List.copyOf(runs);
        this.shape = String.join(ANY, literals);
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static KeyPattern parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        List<String> literals = new ArrayList<>();
        List<String> runs = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        for (Template.Part part : Template.split(text, true)) {
            if (part.capture() == null) {
                literal.append(part.literal());
                continue;
            }
            if (!runs.isEmpty() && literal.isEmpty()) {
                throw new IllegalArgumentException("nothing stands between " + written(runs.get(runs.size() - 1))
                        + " and " + written(part.capture()) + ", so no name can be told apart");
            }
            if (!part.capture().isEmpty() && runs.contains(part.capture())) {
                throw new IllegalArgumentException("the capture " + written(part.capture()) + " stands there twice");
            }
            if (runs.size() == MOST_RUNS) {
                throw new IllegalArgumentException("it has more than " + MOST_RUNS + " captures and '*'");
            }
            literals.add(literal.toString());
            literal.setLength(0);
            runs.add(part.capture());
        }
        literals.add(literal.toString());
        return new KeyPattern(text, literals, runs);
    }

    private static String written(String run) {
        return run.isEmpty() ? "*" : "{" + run + "}";
    }

    /** Whether the lock's name matches. */
    public boolean matches(String lock) {
        return match(lock) != null;
    }

    /** Whether nothing in it forbids that a name is one number, or two with a slash between. */
    boolean mayBeNumbers() {
        return String.join("", literals).chars().allMatch(c -> c >= '0' && c <= '9' || c == '-' || c == '/');
    }

    /** Names of the captures, in order. */
    public List<String> captures() {
        List<String> names = new ArrayList<>(runs);
        names.removeAll(List.of(""));
        return names;
    }

    /** Whether it has a {@code *}, whose match no resource name can use. */
    boolean hasStar() {
        return runs.contains("");
    }

    /** What each run matched, in order; null if the name does not match. */
    String[] match(String lock) {
        String first = literals.get(0);
        String last = literals.get(runs.size());
        if (runs.isEmpty()) {
            return lock.equals(first) ? new String[0] : null;
        }
        int end = lock.length() - last.length();
        if (end < first.length() || !lock.startsWith(first) || !lock.endsWith(last)) {
            return null;
        }
        String[] matched = new String[runs.size()];
        int from = first.length();
        for (int i = 0; i < matched.length - 1; i++) {
            String next = literals.get(i + 1);
            int at = lock.indexOf(next, from);
            if (at < 0 || at + next.length() > end) {
                return null;
            }
            matched[i] = lock.substring(from, at);
            from = at + next.length();
        }
        matched[matched.length - 1] = lock.substring(from, end);
        return matched;
    }

    /** The index among the runs of the capture with this name; -1 if there is none. */
    int run(String capture) {
        return runs.indexOf(capture);
    }

    /** Whether every name that {@code other} matches is matched by this pattern too. */
    boolean covers(KeyPattern other) {
        return matches(other.shape);
    }

    /** Whether a name may match both patterns; yes where it cannot be told. */
    boolean mayMeet(KeyPattern other) {
        if (runs.isEmpty() || other.runs.isEmpty()) {
            return runs.isEmpty() ? other.matches(literals.get(0)) : matches(other.literals.get(0));
        }
        String first = literals.get(0);
        String otherFirst = other.literals.get(0);
        String last = literals.get(runs.size());
        String otherLast = other.literals.get(other.runs.size());
        return (first.startsWith(otherFirst) || otherFirst.startsWith(first))
                && (last.endsWith(otherLast) || otherLast.endsWith(last));
    }

    /** The pattern without the names of its captures: two patterns of one shape match the same names. */
    String shape() {
        return shape;
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
