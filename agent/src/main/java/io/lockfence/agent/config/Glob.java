/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** A pattern in which {@code *} is any run without "/" and {@code **} is anything. Immutable. */
final class Glob {
    static final char STAR = '\uFFFE';
    static final char STARS = '\uFFFF';

    /** The pattern with each run as one character. */
    private final String compiled;
    /** What every text that matches begins with. */
    private final String start;

    private Glob(String compiled) {
        this.compiled = compiled;
        int run = 0;
        while (run < compiled.length() && !isRun(compiled.charAt(run))) {
            run++;
        }
        start = compiled.substring(0, run);
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static Glob parse(String text) {
        return compiled(marked(text));
    }

    /** The pattern with each run as one character, which no text holds. */
    static String marked(String text) {
        if (text.indexOf(STAR) >= 0 || text.indexOf(STARS) >= 0) {
            throw new IllegalArgumentException("it holds a code that is no character");
        }
        if (text.contains("***")) {
            throw new IllegalArgumentException("'***' is neither '*' nor '**'");
        }
        return text.replace("**", "" + STARS).replace('*', STAR);
    }

    /** @param marked a text in which each run is one character */
    static Glob compiled(String marked) {
        return new Glob(marked);
    }

    private static boolean isRun(char c) {
        return c == STAR || c == STARS;
    }

    /** Whether any text matches that begins so. */
    boolean reaches(String prefix) {
        return start.length() == compiled.length()
                ? start.startsWith(prefix)
                : start.startsWith(prefix) || prefix.startsWith(start);
    }

    /** Whether everything that {@code other} matches is matched by this pattern too; false if that cannot be told. */
    boolean covers(Glob other) {
        return matches(other.compiled);
    }

    /** Follows all positions that the text read so far can have reached, at once: time is the product of both lengths at worst. */
    boolean matches(String text) {
        if (!text.startsWith(start)) {
            return false;
        }
        int length = compiled.length();
        if (start.length() == length) {
            return text.length() == length;
        }
        if (start.length() == length - 1 && compiled.charAt(length - 1) == STARS) {
            return true;
        }
        boolean[] reached = new boolean[length + 1];
        boolean[] next = new boolean[length + 1];
        reached[start.length()] = true;
        skipRuns(reached);
        for (int i = start.length(); i < text.length(); i++) {
            char c = text.charAt(i);
            boolean any = false;
            for (int at = start.length(); at < length; at++) {
                if (reached[at]) {
                    reached[at] = false;
                    char p = compiled.charAt(at);
                    if (p == STARS || p == STAR && c != '/' && c != STARS) {
                        next[at] = true;
                        any = true;
                    } else if (p == c) {
                        next[at + 1] = true;
                        any = true;
                    }
                }
            }
            if (!any) {
                return false;
            }
            reached[length] = false;
            skipRuns(next);
            boolean[] swapped = reached;
            reached = next;
            next = swapped;
        }
        return reached[length];
    }

    private void skipRuns(boolean[] reached) {
        for (int at = start.length(); at < compiled.length(); at++) {
            if (reached[at] && isRun(compiled.charAt(at))) {
                reached[at + 1] = true;
            }
        }
    }
}
