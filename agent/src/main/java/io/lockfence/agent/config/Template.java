/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/** The notation that keys and resource names share: text, {@code {captures}}, doubled braces for a brace. */
final class Template {
    private Template() {}

    /**
     * Text or a capture.
     *
     * @param literal the text; null for a capture
     * @param capture its name, empty for {@code *}; null for text
     */
    record Part(String literal, String capture) {}

    /**
     * The parts of a text.
     *
     * @param stars whether {@code *} is a capture without a name; refused if not
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static List<Part> split(String text, boolean stars) {
        return split(text, stars, false);
    }

    /**
     * The parts of a text whose captures are paths such as {@code arg0.name}; what stands in the braces is not looked at.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static List<Part> paths(String text) {
        return split(text, false, true);
    }

    private static List<Part> split(String text, boolean stars, boolean paths) {
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c >= '\uFFFE') {
                throw new IllegalArgumentException("it holds a code that is no character");
            }
            if ((c == '{' || c == '}') && i + 1 < text.length() && text.charAt(i + 1) == c) {
                literal.append(c);
                i += 2;
            } else if (c == '{') {
                int close = text.indexOf('}', i);
                if (close < 0) {
                    throw new IllegalArgumentException("a '{' is not closed (write '{{' for the character itself)");
                }
                String name = text.substring(i + 1, close);
                if (!paths && !isName(name)) {
                    throw new IllegalArgumentException(
                            "'{" + Problem.shown(name)
                                    + "}' is no capture: its name must be letters, digits or '_' (write '{{' for the character itself)");
                }
                flush(literal, parts);
                parts.add(new Part(null, name));
                i = close + 1;
            } else if (c == '}') {
                throw new IllegalArgumentException("a '}' was not opened (write '}}' for the character itself)");
            } else if (c == '*') {
                if (!stars) {
                    throw new IllegalArgumentException(
                            paths
                                    ? "a '*' has no meaning here: say with {arg0}, for example, what differs"
                                    : "a '*' has no meaning here: capture what differs with {x}");
                }
                if (i + 1 < text.length() && text.charAt(i + 1) == '*') {
                    throw new IllegalArgumentException("'**' is not needed: one '*' matches anything");
                }
                flush(literal, parts);
                parts.add(new Part(null, ""));
                i++;
            } else {
                literal.append(c);
                i++;
            }
        }
        flush(literal, parts);
        return parts;
    }

    private static void flush(StringBuilder literal, List<Part> parts) {
        if (!literal.isEmpty()) {
            parts.add(new Part(literal.toString(), null));
            literal.setLength(0);
        }
    }

    private static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '_' && !(c < 128 && Character.isLetterOrDigit(c))) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
