/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Patterns in which {@code *} is any run without "/" and {@code **} is anything. */
final class Globs {
    private Globs() {}

    /** All positions that the text read so far can have reached, at once: time is the product of both lengths at worst. */
    static boolean matches(String pattern, String text) {
        int length = pattern.length();
        boolean[] reached = new boolean[length + 1];
        reached[0] = true;
        skipRuns(pattern, reached);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean[] next = new boolean[length + 1];
            for (int at = 0; at < length; at++) {
                if (!reached[at]) {
                    continue;
                }
                if (pattern.charAt(at) != '*') {
                    next[at + 1] |= pattern.charAt(at) == c;
                } else if (isDouble(pattern, at) || c != '/') {
                    next[at] = true;
                }
            }
            skipRuns(pattern, next);
            reached = next;
        }
        return reached[length];
    }

    private static boolean isDouble(String pattern, int star) {
        return pattern.startsWith("**", star) || star > 0 && pattern.charAt(star - 1) == '*';
    }

    private static void skipRuns(String pattern, boolean[] reached) {
        for (int at = 0; at < pattern.length(); at++) {
            if (reached[at] && pattern.charAt(at) == '*') {
                reached[at + 1] = true;
            }
        }
    }
}
