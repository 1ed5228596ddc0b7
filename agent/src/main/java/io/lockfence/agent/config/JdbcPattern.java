/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/**
 * A pattern of JDBC URLs: {@code *} is any run without "/", {@code **} is anything. Parameters and credentials of a URL are left out
 * before it is compared; for PostgreSQL the default host and port may be written or not. Immutable.
 */
public final class JdbcPattern {
    private final String text;
    private final Glob glob;

    private JdbcPattern(String text, Glob glob) {
        this.text = text;
        this.glob = glob;
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
        Glob glob = Glob.parse(text);
        if (!glob.reaches("jdbc:")) {
            throw new IllegalArgumentException("it does not start with 'jdbc:'");
        }
        return new JdbcPattern(text, glob);
    }

    /** Whether URLs that start like this can match at all. */
    boolean reaches(String prefix) {
        return glob.reaches(prefix);
    }

    /** Whether the URL, as the driver was given it, matches. Never throws. */
    public boolean matches(String url) {
        for (String spelling : JdbcUrl.spellings(url)) {
            if (glob.matches(spelling)) {
                return true;
            }
        }
        return false;
    }

    /** Whether every URL that {@code other} matches is matched by this pattern too. */
    boolean covers(JdbcPattern other) {
        return glob.covers(other.glob);
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
