/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.instrumentation.postgresql.AdvisoryText.Call;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Does;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds the calls of advisory lock functions in one text of SQL: not those in comments, strings and bodies between dollars. */
final class AdvisoryScan {
    private final String sql;
    private final List<Call> calls = new ArrayList<>();
    private int at;
    /** What stands around the calls, without blanks and comments: at most so much as matters. */
    private final StringBuilder around = new StringBuilder();

    private static final int MATTERS = 100;

    AdvisoryScan(String sql) {
        this.sql = sql;
        while (at < sql.length()) {
            step();
        }
    }

    List<Call> calls() {
        return calls;
    }

    /** Whether the text is {@code SELECT} of one call, by whatever name its column has. */
    boolean plain() {
        String rest = around.toString();
        while (rest.endsWith(";")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        String before = "select ?";
        if (rest.startsWith("select pg_catalog . ?")) {
            rest = before + rest.substring("select pg_catalog . ?".length());
        }
        return calls.size() == 1 && rest.startsWith(before) && isAlias(rest.substring(before.length()));
    }

    private static boolean isAlias(String rest) {
        String name = rest.startsWith(" as ") ? rest.substring(4) : rest.strip();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!Character.isLetterOrDigit(c) && c != '_') {
                return false;
            }
        }
        return switch (name) {
            case "from", "where", "limit", "offset", "union", "for" -> false;
            default -> true;
        };
    }

    private void step() {
        int skipped = skip(sql, at);
        if (skipped != at) {
            at = skipped;
            return;
        }
        char c = sql.charAt(at);
        if (isWordStart(c)) {
            String word = word();
            if (isString(word)) {
                at = string(at, true);
                around("'");
            } else {
                called(word.toLowerCase(Locale.ROOT));
            }
        } else if (c == '"') {
            int end = quoted(at, '"');
            String word = sql.substring(at + 1, Math.max(at + 1, Math.min(end - 1, sql.length())));
            at = end;
            called(word);
        } else if (c == '\'') {
            at = string(at, false);
            around("'");
        } else if (c == '$' && dollars(at) > at) {
            at = dollars(at);
            around("'");
        } else {
            at++;
            around(String.valueOf(c));
        }
    }

    /** Whether what was read is the E of {@code E'...'}. */
    private boolean isString(String word) {
        return at < sql.length() && sql.charAt(at) == '\'' && word.equalsIgnoreCase("e");
    }

    private void called(String word) {
        int open = skipAll(at);
        Call call = open < sql.length() && sql.charAt(open) == '(' ? call(word) : null;
        if (call == null) {
            around(word);
            return;
        }
        at = open + 1;
        List<String> arguments = arguments();
        calls.add(new Call(call.does(), call.transaction(), call.shared(), keys(call.does(), arguments)));
        around("?");
    }

    private void around(String word) {
        if (around.length() < MATTERS) {
            around.append(around.isEmpty() || word.equals(";") ? "" : " ").append(word);
        }
    }

    private static Call call(String name) {
        boolean shared = name.endsWith("_shared");
        String of = shared ? name.substring(0, name.length() - "_shared".length()) : name;
        return switch (of) {
            case "pg_advisory_lock" -> new Call(Does.LOCK, false, shared, null);
            case "pg_advisory_xact_lock" -> new Call(Does.LOCK, true, shared, null);
            case "pg_try_advisory_lock" -> new Call(Does.TRY, false, shared, null);
            case "pg_try_advisory_xact_lock" -> new Call(Does.TRY, true, shared, null);
            case "pg_advisory_unlock" -> new Call(Does.UNLOCK, false, shared, null);
            case "pg_advisory_unlock_all" -> shared ? null : new Call(Does.UNLOCK_ALL, false, false, null);
            default -> null;
        };
    }

    /** Reads behind the opening parenthesis, to behind the one that closes it. */
    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        StringBuilder argument = new StringBuilder();
        int depth = 1;
        while (at < sql.length()) {
            int skipped = skip(sql, at);
            if (skipped != at) {
                at = skipped;
                argument.append(' ');
                continue;
            }
            char c = sql.charAt(at);
            int end = c == '\''
                    ? string(at, false)
                    : c == '"' ? quoted(at, '"') : c == '$' && dollars(at) > at ? dollars(at) : at + 1;
            if (c == '(') {
                depth++;
            } else if (c == ')' && --depth == 0) {
                at = end;
                break;
            } else if (c == ',' && depth == 1) {
                arguments.add(argument.toString());
                argument.setLength(0);
                at = end;
                continue;
            }
            argument.append(sql, at, Math.min(end, sql.length()));
            at = end;
        }
        arguments.add(argument.toString());
        return arguments;
    }

    private static List<Key> keys(Does does, List<String> arguments) {
        if (does == Does.UNLOCK_ALL || arguments.size() > 2) {
            return null;
        }
        List<Key> keys = new ArrayList<>(2);
        for (String argument : arguments) {
            Key key = key(argument);
            if (key == null) {
                return null;
            }
            keys.add(key);
        }
        return List.copyOf(keys);
    }

    /** A number, a parameter, or either with casts behind it. */
    private static Key key(String argument) {
        String value = argument.strip();
        for (int cast = value.lastIndexOf("::"); cast > 0; cast = value.lastIndexOf("::")) {
            if (!isIntegerType(value.substring(cast + 2).strip().toLowerCase(Locale.ROOT))) {
                return null;
            }
            value = value.substring(0, cast).strip();
        }
        if (value.length() > 2 && value.startsWith("'") && value.endsWith("'")) {
            value = value.substring(1, value.length() - 1).strip();
        }
        try {
            if (value.startsWith("$")) {
                int parameter = Integer.parseInt(value.substring(1));
                return parameter > 0 ? new Key(0, parameter) : null;
            }
            return new Key(Long.parseLong(value), 0);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static boolean isIntegerType(String type) {
        return switch (type) {
            case "bigint", "int8", "int", "integer", "int4", "pg_catalog.int8", "pg_catalog.int4" -> true;
            default -> false;
        };
    }

    private String word() {
        int start = at;
        while (at < sql.length() && (isWordStart(sql.charAt(at)) || isDigitOrDollar(sql.charAt(at)))) {
            at++;
        }
        return sql.substring(start, at);
    }

    private static boolean isWordStart(char c) {
        return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80;
    }

    private static boolean isDigitOrDollar(char c) {
        return c >= '0' && c <= '9' || c == '$';
    }

    private int skipAll(int from) {
        int end = from;
        for (int next = skip(sql, end); next != end; next = skip(sql, end)) {
            end = next;
        }
        return end;
    }

    /** Behind the blanks and comments that begin here. */
    static int skip(String sql, int from) {
        int end = from;
        while (end < sql.length()) {
            char c = sql.charAt(end);
            if (Character.isWhitespace(c)) {
                end++;
            } else if (sql.startsWith("--", end)) {
                int line = sql.indexOf('\n', end);
                end = line < 0 ? sql.length() : line + 1;
            } else if (sql.startsWith("/*", end)) {
                end = comment(sql, end);
            } else {
                break;
            }
        }
        return end;
    }

    /** They nest. */
    private static int comment(String sql, int from) {
        int depth = 0;
        for (int i = from; i < sql.length(); i++) {
            if (sql.startsWith("/*", i)) {
                depth++;
                i++;
            } else if (sql.startsWith("*/", i)) {
                i++;
                if (--depth == 0) {
                    return i + 1;
                }
            }
        }
        return sql.length();
    }

    private int string(int from, boolean escapes) {
        if (!escapes) {
            return quoted(from, '\'');
        }
        for (int i = from + 1; i < sql.length(); i++) {
            if (sql.charAt(i) == '\\') {
                i++;
            } else if (sql.charAt(i) == '\'') {
                return i + 1;
            }
        }
        return sql.length();
    }

    /** A doubled quote is two strings, which come to the same. */
    private int quoted(int from, char quote) {
        int end = sql.indexOf(quote, from + 1);
        return end < 0 ? sql.length() : end + 1;
    }

    /** Behind a text between dollars; the same place if none begins here. */
    private int dollars(int from) {
        int end = from + 1;
        while (end < sql.length()
                && (isWordStart(sql.charAt(end)) || end > from + 1 && Character.isDigit(sql.charAt(end)))) {
            end++;
        }
        if (end >= sql.length() || sql.charAt(end) != '$') {
            return from;
        }
        String tag = sql.substring(from, end + 1);
        int close = sql.indexOf(tag, end + 1);
        return close < 0 ? sql.length() : close + tag.length();
    }
}
