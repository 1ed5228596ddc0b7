/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** A pattern of paths: {@code *} is any run without "/", {@code **} is anything. Immutable. */
public final class PathPattern {
    private final String text;

    private PathPattern(String text) {
        this.text = text;
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
        return new PathPattern(text);
    }

    /** Whether a path matches: decoded, without query. Never throws. */
    public boolean matches(String path) {
        return Globs.matches(text, path);
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
