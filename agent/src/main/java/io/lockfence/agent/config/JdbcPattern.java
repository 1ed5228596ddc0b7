/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/**
 * A pattern of JDBC URLs: {@code *} is any run without "/", {@code **} is anything. Parameters and credentials of a URL are left out
 * before it is compared; for PostgreSQL the default host and port may be written or not. Immutable.
 */
public final class JdbcPattern {
    private static final char STAR = '\uFFFE';
    private static final char STARS = '\uFFFF';

    private final String text;
    /** The pattern with each run as one character. */
    private final String compiled;

    private JdbcPattern(String text, String compiled) {
        this.text = text;
        this.compiled = compiled;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static JdbcPattern parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        if (text.indexOf('?') >= 0) {
            throw new IllegalArgumentException("parameters are never compared: leave out the '?' and what follows");
        }
        if (text.indexOf(STAR) >= 0 || text.indexOf(STARS) >= 0) {
            throw new IllegalArgumentException("it holds a code that is no character");
        }
        if (text.contains("***")) {
            throw new IllegalArgumentException("'***' is neither '*' nor '**'");
        }
        if (!text.startsWith("jdbc:") && !(text.indexOf('*') >= 0 && "jdbc:".startsWith(start(text)))) {
            throw new IllegalArgumentException("it does not start with 'jdbc:'");
        }
        return new JdbcPattern(text, text.replace("**", "" + STARS).replace('*', STAR));
    }

    private static String start(String text) {
        int star = text.indexOf('*');
        return star < 0 ? text : text.substring(0, star);
    }

    /** Whether URLs that start like this can match at all. */
    boolean reaches(String prefix) {
        String start = start(text);
        return start.startsWith(prefix) || text.indexOf('*') >= 0 && prefix.startsWith(start);
    }

    /** Whether the URL, as the driver was given it, matches. Never throws. */
    public boolean matches(String url) {
        for (String spelling : JdbcUrl.spellings(url)) {
            if (accepts(spelling)) {
                return true;
            }
        }
        return false;
    }

    /** Whether every URL that {@code other} matches is matched by this pattern too. */
    boolean covers(JdbcPattern other) {
        return accepts(other.compiled);
    }

    /** All positions that the text read so far can have reached, at once: time is the product of both lengths at worst. */
    private boolean accepts(String url) {
        int length = compiled.length();
        boolean[] reached = new boolean[length + 1];
        reached[0] = true;
        skipRuns(reached);
        for (int i = 0; i < url.length(); i++) {
            char c = url.charAt(i);
            boolean[] next = new boolean[length + 1];
            for (int at = 0; at < length; at++) {
                if (reached[at]) {
                    char p = compiled.charAt(at);
                    if (p == STARS || p == STAR && c != '/' && c != STARS) {
                        next[at] = true;
                    } else if (p == c) {
                        next[at + 1] = true;
                    }
                }
            }
            skipRuns(next);
            reached = next;
        }
        return reached[length];
    }

    private void skipRuns(boolean[] reached) {
        for (int at = 0; at < compiled.length(); at++) {
            if (reached[at] && (compiled.charAt(at) == STAR || compiled.charAt(at) == STARS)) {
                reached[at + 1] = true;
            }
        }
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
