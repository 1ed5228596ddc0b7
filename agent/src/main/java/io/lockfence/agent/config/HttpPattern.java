/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/**
 * A pattern of URLs: {@code *} is any run without "/", {@code **} is anything. Immutable.
 */
public final class HttpPattern {
    private final String text;

    private HttpPattern(String text) {
        this.text = text;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static HttpPattern parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        return new HttpPattern(text);
    }

    /** Whether a URL matches. Never throws. */
    public boolean matches(String url) {
        return Globs.matches(text, url);
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
