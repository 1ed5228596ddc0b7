/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.lockfence.agent.fence.postgresql.Tokens.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds the cursors that a text reads from or writes at: {@code FETCH}, {@code MOVE} and {@code WHERE CURRENT OF}. One pass. */
final class CursorScan {
    private CursorScan() {}

    /** Their names, lower case; mostly empty. */
    static List<String> cursorsOf(String sql) {
        List<String> cursors = new ArrayList<>(0);
        Tokens t = new Tokens(sql, false);
        t.next();
        while (!t.ends()) {
            boolean fetch = t.is("fetch") || t.is("move");
            String last = null;
            boolean current = false;
            boolean of = false;
            while (!t.ends() && !t.is(';')) {
                boolean name = t.type == Type.WORD || t.type == Type.QUOTED;
                if (name) {
                    last = name(sql, t);
                    if (of) {
                        cursors.add(last);
                    }
                }
                of = current && t.is("of");
                current = t.is("current");
                t.next();
            }
            if (fetch && last != null) {
                // [FROM | IN] name comes last.
                cursors.add(last);
            }
            t.next();
        }
        return cursors.isEmpty() ? List.of() : List.copyOf(cursors);
    }

    private static String name(String sql, Tokens t) {
        String name = t.type == Type.QUOTED
                ? sql.substring(t.start + 1, t.end - 1).replace("\"\"", "\"")
                : sql.substring(t.start, t.end);
        return name.toLowerCase(Locale.ROOT);
    }
}
