/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** A pattern of paths in which a "/" at the end does not matter, as it does not to most routers: {@code /a/**} is {@code /a} too. Immutable. */
final class PathGlob {
    private final Glob glob;
    /** The same with a "/" at the end, or without. */
    private final Glob other;

    private PathGlob(String marked) {
        glob = Glob.compiled(marked);
        boolean slash = marked.endsWith("/");
        String deep = "/" + Glob.STARS;
        other = slash
                ? Glob.compiled(marked.substring(0, marked.length() - 1))
                : Glob.compiled(marked.endsWith(deep) ? marked.substring(0, marked.length() - 2) : marked + "/");
    }

    /**
     * A pattern as it stands in a pattern of URLs.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static PathGlob ofUrl(String text) {
        if (text.indexOf(';') >= 0) {
            throw new IllegalArgumentException(
                    "parameters of a path are never compared: leave out the ';' and what follows");
        }
        return new PathGlob(HttpPath.ofUrl(Glob.marked(checked(text))));
    }

    /**
     * A pattern of paths that are compared as they are.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static PathGlob plain(String text) {
        return new PathGlob(Glob.marked(checked(text)));
    }

    private static String checked(String text) {
        if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
            throw new IllegalArgumentException("nothing is captured there: write '*' for a segment of any name");
        }
        for (String segment : text.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw new IllegalArgumentException(
                        "the segment '" + segment + "' is resolved before paths are compared");
            }
        }
        return text;
    }

    boolean matches(String path) {
        return glob.matches(path) || other.matches(path);
    }

    /** Whether everything that {@code later} matches is matched by this pattern too; false if that cannot be told. */
    boolean covers(PathGlob later) {
        return covered(later.glob) && covered(later.other);
    }

    private boolean covered(Glob one) {
        return glob.covers(one) || other.covers(one);
    }
}
