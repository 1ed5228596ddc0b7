/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

/** The tokens of one SQL text, one after the other, as PostgreSQL's scanner cuts them. Blanks and comments are passed over. One thread. */
final class Tokens {
    /** What a token is. */
    enum Type {
        /** A keyword or a plain identifier. */
        WORD,
        /** An identifier in double quotes. */
        QUOTED,
        /** A string in single quotes, with or without a prefix, or in dollar quotes. */
        STRING,
        /** The beginning of a number. */
        NUMBER,
        /** {@code ?} or {@code $1}. */
        PARAMETER,
        /** Any other character, alone; but {@code ::} is one token. */
        SYMBOL,
        /** The text has ended. */
        END,
        /** A string or comment does not end. */
        BROKEN
    }

    private final String text;
    private final boolean backslashes;
    private int at;
    private boolean doubtful;

    Type type;
    /** Where the token begins. */
    int start;
    /** Behind its last character. */
    int end;

    /** @param backslashes whether backslashes are escapes in plain strings ({@code standard_conforming_strings = off}) */
    Tokens(String text, boolean backslashes) {
        this.text = text;
        this.backslashes = backslashes;
    }

    /** Whether a string so far means something else if {@code standard_conforming_strings} is the other way. */
    boolean doubtful() {
        return doubtful;
    }

    boolean is(String word) {
        return type == Type.WORD && Words.is(text, start, end, word);
    }

    boolean in(Words words) {
        return type == Type.WORD && words.contains(text, start, end);
    }

    boolean is(int start, int end, String word) {
        return Words.is(text, start, end, word);
    }

    boolean in(int start, int end, Words words) {
        return words.contains(text, start, end);
    }

    boolean is(char symbol) {
        return type == Type.SYMBOL && end - start == 1 && text.charAt(start) == symbol;
    }

    boolean ends() {
        return type == Type.END || type == Type.BROKEN;
    }

    Type next() {
        skip();
        if (type == Type.BROKEN) {
            return type;
        }
        start = at;
        if (at >= text.length()) {
            type = Type.END;
        } else {
            type = token(text.charAt(at));
        }
        end = at;
        return type;
    }

    private Type token(char c) {
        switch (c) {
            case '\'':
                return string(backslashes, true);
            case '"':
                return identifier();
            case '$':
                return dollar();
            case '?':
                at++;
                return Type.PARAMETER;
            case ':':
                at += at + 1 < text.length() && text.charAt(at + 1) == ':' ? 2 : 1;
                return Type.SYMBOL;
            default:
                if (digit(c) || c == '.' && at + 1 < text.length() && digit(text.charAt(at + 1))) {
                    number();
                    return Type.NUMBER;
                } else if (letter(c)) {
                    return word();
                }
                at++;
                return Type.SYMBOL;
        }
    }

    private Type word() {
        int from = at;
        while (at < text.length() && (letter(text.charAt(at)) || digit(text.charAt(at)) || text.charAt(at) == '$')) {
            at++;
        }
        if (at < text.length() && at - from == 1) {
            // e'…', b'…', x'…', n'…' are strings, u&'…' and u&"…" too.
            char prefix = text.charAt(from);
            char c = text.charAt(at);
            if (c == '\'') {
                if (prefix == 'e' || prefix == 'E') {
                    return string(true, false);
                } else if ("bBxXnN".indexOf(prefix) >= 0) {
                    return string(backslashes, true);
                }
            } else if (c == '&' && (prefix == 'u' || prefix == 'U') && at + 1 < text.length()) {
                if (text.charAt(at + 1) == '\'') {
                    at++;
                    return string(false, false);
                } else if (text.charAt(at + 1) == '"') {
                    at++;
                    return identifier();
                }
            }
        }
        return Type.WORD;
    }

    /**
     * @param escapes whether a backslash takes the next character along
     * @param bySetting whether that depends on {@code standard_conforming_strings}
     */
    private Type string(boolean escapes, boolean bySetting) {
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '\\') {
                doubtful |= bySetting && at < text.length() && text.charAt(at) == '\'';
                at += escapes ? 1 : 0;
            } else if (c == '\'') {
                if (at >= text.length() || text.charAt(at) != '\'') {
                    return Type.STRING;
                }
                at++;
            }
        }
        at = text.length();
        return Type.BROKEN;
    }

    private Type identifier() {
        at++;
        while (at < text.length()) {
            if (text.charAt(at++) == '"') {
                if (at >= text.length() || text.charAt(at) != '"') {
                    return Type.QUOTED;
                }
                at++;
            }
        }
        return Type.BROKEN;
    }

    private Type dollar() {
        int from = at++;
        if (at < text.length() && digit(text.charAt(at))) {
            while (at < text.length() && digit(text.charAt(at))) {
                at++;
            }
            return Type.PARAMETER;
        }
        while (at < text.length() && (letter(text.charAt(at)) || digit(text.charAt(at)))) {
            at++;
        }
        if (at >= text.length() || text.charAt(at) != '$') {
            at = from + 1;
            return Type.SYMBOL;
        }
        int tag = ++at - from;
        // By hand, not by indexOf(tag), to stay linear: a tag that nearly matches again and again must not be compared
        // from each place.
        for (int i = at; i < text.length(); i++) {
            if (text.charAt(i) == '$' && text.regionMatches(i, text, from, tag)) {
                at = i + tag;
                return Type.STRING;
            }
        }
        at = text.length();
        return Type.BROKEN;
    }

    private void number() {
        while (at < text.length() && (digit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        if (at + 1 < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int exponent = at + 1;
            if (exponent + 1 < text.length() && (text.charAt(exponent) == '+' || text.charAt(exponent) == '-')) {
                exponent++;
            }
            if (digit(text.charAt(exponent))) {
                at = exponent;
                while (at < text.length() && digit(text.charAt(at))) {
                    at++;
                }
            }
        }
    }

    private void skip() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\u000b') {
                at++;
            } else if (c == '-' && at + 1 < text.length() && text.charAt(at + 1) == '-') {
                while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
                    at++;
                }
            } else if (c == '/' && at + 1 < text.length() && text.charAt(at + 1) == '*') {
                comment();
            } else {
                return;
            }
        }
    }

    /** Comments nest. */
    private void comment() {
        int depth = 0;
        while (at + 1 < text.length()) {
            char c = text.charAt(at);
            char d = text.charAt(at + 1);
            if (c == '/' && d == '*') {
                depth++;
                at += 2;
            } else if (c == '*' && d == '/') {
                at += 2;
                if (--depth == 0) {
                    return;
                }
            } else {
                at++;
            }
        }
        at = text.length();
        type = Type.BROKEN;
    }

    private static boolean letter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }
}
