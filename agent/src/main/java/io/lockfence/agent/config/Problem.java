/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Objects;

/**
 * One thing that is wrong with a rules file, or with the way it is named.
 *
 * @param line from 1; 0 if the problem is not in one place of the file
 * @param column from 1, in characters; 0 with line 0
 * @param what is wrong, without a full stop
 * @param expected what should stand there instead; empty if {@code what} says all
 * @param nearest the valid name that may have been meant; empty if none is near
 */
public record Problem(int line, int column, String what, String expected, String nearest) {
    private static final int SHOWN = 60;

    public Problem {
        Objects.requireNonNull(what);
        Objects.requireNonNull(expected);
        Objects.requireNonNull(nearest);
    }

    /** A problem of the whole file. */
    static Problem of(String what, String expected) {
        return new Problem(0, 0, what, expected, "");
    }

    /** The line that people read; {@code file} is its first word, as compilers write it. */
    public String in(String file) {
        StringBuilder text = new StringBuilder(file);
        if (line > 0) {
            text.append(':').append(line).append(':').append(column);
        }
        text.append(": ").append(what);
        if (!expected.isEmpty()) {
            text.append("; ").append(expected);
        }
        if (!nearest.isEmpty()) {
            text.append("; did you mean '").append(shown(nearest)).append("'?");
        }
        return text.toString();
    }

    /** A text of the file as it may stand in a message: short and in one line. */
    static String shown(String text) {
        return text.codePointCount(0, text.length()) <= SHOWN
                ? line(text)
                : line(text.substring(0, text.offsetByCodePoints(0, SHOWN))) + "…";
    }

    /** The text in one line. */
    static String line(String text) {
        StringBuilder line = new StringBuilder(text);
        for (int i = 0; i < line.length(); i++) {
            if (Character.isISOControl(line.charAt(i))) {
                line.setCharAt(i, '\uFFFD');
            }
        }
        return line.toString();
    }
}
