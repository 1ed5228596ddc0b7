/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.bootstrap.Beside;
import java.util.ArrayList;
import java.util.List;

/**
 * What the texts that a driver keeps say: scanned once, then found by identity. Weak, so that it holds what the driver holds. Thread safe.
 */
final class Kinds {
    /**
     * @param kind what it is to the fence
     * @param cursors that it reads from or writes at, lower case; empty for nearly all statements
     */
    record Scanned(StatementKind kind, List<String> cursors) {
        Scanned with(Scanned other) {
            StatementKind most = kind.with(other.kind);
            if (most == kind && other.cursors.isEmpty()) {
                return this;
            }
            List<String> both = new ArrayList<>(cursors);
            both.addAll(other.cursors);
            return new Scanned(most, both);
        }
    }

    private final Dialect dialect;
    private final Beside<String, Scanned> known = new Beside<>();

    Kinds(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Of several statements that are sent at once: the kind that asks most of the fence, and the cursors of all. */
    Scanned of(String[] sql) {
        Scanned most = of(sql[0]);
        for (int i = 1; i < sql.length; i++) {
            most = most.with(of(sql[i]));
        }
        return most;
    }

    Scanned of(String sql) {
        Scanned scanned = known.get(sql);
        if (scanned == null) {
            scanned = new Scanned(dialect.kindOf(sql), dialect.cursorsOf(sql));
            known.put(sql, scanned);
        }
        return scanned;
    }
}
