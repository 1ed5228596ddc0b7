/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.nio.charset.StandardCharsets;

/** Paths of URLs, written in one of the many ways that mean the same to a server. */
final class HttpPath {
    private HttpPath() {}

    /**
     * A path as it stands in a URL, in one spelling: without parameters ({@code ;x=y}), dot segments and empty segments; what needs no {@code %} written
     * without, everything else that is no printable ASCII with. An encoded "/" stays one, since servers do not agree what it is. Never throws.
     *
     * @param path without query; may be empty
     */
    static String ofUrl(String path) {
        return resolved(decoded(withoutParameters(path)));
    }

    /**
     * A path that a server has decoded already, without dot segments and empty segments, if it left any. Never throws.
     */
    static String resolved(String path) {
        if (!path.isEmpty() && path.charAt(0) == '/' && !path.contains("//") && !path.contains("/.")) {
            return path;
        }
        StringBuilder resolved = new StringBuilder();
        boolean slash = true;
        for (int from = 0; from <= path.length(); ) {
            int to = path.indexOf('/', from);
            to = to < 0 ? path.length() : to;
            String segment = path.substring(from, to);
            boolean last = to == path.length();
            boolean dots = segment.equals(".") || segment.equals("..");
            if (segment.equals("..")) {
                resolved.setLength(Math.max(0, resolved.lastIndexOf("/")));
            } else if (!segment.isEmpty() && !dots) {
                resolved.append('/').append(segment);
            }
            slash = last ? segment.isEmpty() || dots : slash;
            from = to + 1;
        }
        return slash ? resolved.append('/').toString() : resolved.toString();
    }

    /** Whether any character is written as {@code %xx}. */
    static boolean isEncoded(String path) {
        for (int at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
            if (encoded(path, at) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static String withoutParameters(String path) {
        if (path.indexOf(';') < 0) {
            return path;
        }
        StringBuilder without = new StringBuilder();
        boolean parameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            parameters = c == ';' || parameters && c != '/';
            if (!parameters) {
                without.append(c);
            }
        }
        return without.toString();
    }

    private static String decoded(String path) {
        if (isDecoded(path)) {
            return path;
        }
        StringBuilder decoded = new StringBuilder();
        for (int i = 0; i < path.length(); ) {
            int c = path.codePointAt(i);
            int encoded = c == '%' ? encoded(path, i) : -1;
            if (encoded >= 0) {
                append(decoded, encoded);
                i += 3;
            } else {
                if (isPlain(c) || isRun(c)) {
                    decoded.append((char) c);
                } else {
                    byte[] bytes = Character.toString(c).getBytes(StandardCharsets.UTF_8);
                    for (byte b : bytes) {
                        append(decoded, b & 0xFF);
                    }
                }
                i += Character.charCount(c);
            }
        }
        return decoded.toString();
    }

    private static boolean isDecoded(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%' || !isPlain(c) && !isRun(c)) {
                return false;
            }
        }
        return true;
    }

    private static void append(StringBuilder decoded, int octet) {
        if (isPlain(octet) && octet != '/' && octet != '%') {
            decoded.append((char) octet);
        } else {
            decoded.append('%')
                    .append(Character.toUpperCase(Character.forDigit(octet >> 4, 16)))
                    .append(Character.toUpperCase(Character.forDigit(octet & 15, 16)));
        }
    }

    /** The octet that {@code %xx} stands for; -1 if it is none. */
    private static int encoded(String path, int at) {
        if (at + 2 >= path.length()) {
            return -1;
        }
        int high = hexDigit(path.charAt(at + 1));
        int low = hexDigit(path.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static int hexDigit(char c) {
        return c < 128 ? Character.digit(c, 16) : -1;
    }

    private static boolean isPlain(int c) {
        return c > ' ' && c <= '~';
    }

    private static boolean isRun(int c) {
        return c == Glob.STAR || c == Glob.STARS;
    }
}
