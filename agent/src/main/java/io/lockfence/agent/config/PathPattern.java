/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/**
 * A pattern of paths of requests that come in: {@code *} is any run without "/", {@code **} is anything. A "/" at the end does not matter, so {@code /stock/**} is {@code /stock} too.
 * Immutable.
 */
public final class PathPattern {
    /** Stands for codes that are no characters, which patterns use for runs. */
    private static final char NO_CHARACTER = '\uFFFD';

    private final String text;
    private final PathGlob glob;

    private PathPattern(String text, PathGlob glob) {
        this.text = text;
        this.glob = glob;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static PathPattern parse(String text) {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("it does not start with '/'");
        }
        if (text.indexOf('?') >= 0 || text.indexOf('#') >= 0 || text.indexOf(';') >= 0) {
            throw new IllegalArgumentException(
                    "query and parameters are never compared: leave out the '?', '#' or ';' and what follows");
        }
        if (HttpPath.isEncoded(text)) {
            throw new IllegalArgumentException(
                    "it is compared with what a request's path means: write the character itself, not '%' and its code");
        }
        if (text.contains("//")) {
            throw new IllegalArgumentException("'//' is one '/' where paths are compared");
        }
        return new PathPattern(text, PathGlob.plain(text));
    }

    /**
     * Whether a path matches: decoded, without query; as it is, for services that route by that, or with the dot segments and empty segments that are still in it
     * resolved. Never throws.
     */
    public boolean matches(String path) {
        String text = path.replace(Glob.STAR, NO_CHARACTER).replace(Glob.STARS, NO_CHARACTER);
        String resolved = HttpPath.resolved(text);
        return glob.matches(resolved) || !resolved.equals(text) && glob.matches(text);
    }

    /** Whether every path that {@code later} matches is matched by this pattern too; false if that cannot be told. */
    boolean covers(PathPattern later) {
        return glob.covers(later.glob);
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
