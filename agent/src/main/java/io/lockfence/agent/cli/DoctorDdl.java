/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of the SQL that makes a fence: what should be there, so that what is missing can be named and printed. */
final class DoctorDdl {
    private static final String QUOTE = "$lockfence$";
    private static final Pattern ROUTINE = Pattern.compile(
            "CREATE OR REPLACE (FUNCTION|PROCEDURE) lockfence\\.(\\w+)\\((.*?)\\)\\s+(?:RETURNS (TABLE \\(.*?\\)|[\\w.]+)\\s+)?LANGUAGE (.*?) AS \\$lockfence\\$(.*?)\\$lockfence\\$;",
            Pattern.DOTALL);

    private final String all;
    private final Map<String, Routine> routines = new LinkedHashMap<>();
    private final String last;

    /**
     * A routine as the database describes it.
     *
     * @param arguments as {@code pg_get_function_arguments} writes them, without {@code IN}
     * @param result as {@code pg_get_function_result} writes it; empty for a procedure
     * @param definer whether it runs with its owner's rights
     * @param body between the quotes
     * @param sql the statement that makes it
     */
    record Routine(String name, String arguments, String result, boolean definer, String body, String sql) {}

    /** @param all the whole file */
    DoctorDdl(String all) {
        this.all = all;
        Matcher matcher = ROUTINE.matcher(all);
        while (matcher.find()) {
            String result = matcher.group(4) == null ? "" : matcher.group(4).replaceFirst("^TABLE \\(", "TABLE(");
            routines.put(
                    matcher.group(2),
                    new Routine(
                            matcher.group(2),
                            words(matcher.group(3)),
                            words(result),
                            matcher.group(5).contains("SECURITY DEFINER"),
                            matcher.group(6),
                            matcher.group()));
        }
        this.last = all.substring(all.lastIndexOf(QUOTE) + QUOTE.length() + 1).strip();
    }

    /** With single blanks. */
    static String words(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    /** By name. */
    Map<String, Routine> routines() {
        return routines;
    }

    /** Everything. */
    String all() {
        return all.strip();
    }

    /** What makes these routines as they should be, and keeps their rights. */
    String only(Collection<String> names) {
        StringBuilder sql = new StringBuilder();
        for (Routine routine : routines.values()) {
            if (names.contains(routine.name())) {
                sql.append(routine.sql()).append("\n\n");
            }
        }
        return sql.append(last).toString();
    }
}
