/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.bootstrap.Beside;
import java.util.ArrayList;
import java.util.List;

/**
 * What the texts that a driver keeps say: scanned once, then found by identity. Weak, so that it holds what the driver holds. Thread safe.
 */
final class Kinds {
    private record Scanned(StatementKind kind, List<String> cursors) {}

    private final Dialect dialect;
    private final Beside<String, Scanned> known = new Beside<>();

    Kinds(Dialect dialect) {
        this.dialect = dialect;
    }

    StatementKind of(String sql) {
        return scanned(sql).kind();
    }

    /** Of several statements that are sent at once: the one that asks most of the fence. */
    StatementKind of(String[] sql) {
        StatementKind most = of(sql[0]);
        for (int i = 1; i < sql.length; i++) {
            most = most.with(of(sql[i]));
        }
        return most;
    }

    /** The cursors that a statement reads from or writes at, lower case; the list is empty for nearly all. */
    List<String> cursorsOf(String sql) {
        return scanned(sql).cursors();
    }

    /** The same for several statements. */
    List<String> cursorsOf(String[] sql) {
        List<String> cursors = new ArrayList<>(0);
        for (String one : sql) {
            cursors.addAll(cursorsOf(one));
        }
        return cursors;
    }

    private Scanned scanned(String sql) {
        Scanned scanned = known.get(sql);
        if (scanned == null) {
            scanned = new Scanned(dialect.kindOf(sql), dialect.cursorsOf(sql));
            known.put(sql, scanned);
        }
        return scanned;
    }
}
