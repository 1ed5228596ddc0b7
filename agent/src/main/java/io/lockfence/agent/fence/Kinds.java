/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import com.blogspot.mydailyjava.weaklockfree.WeakConcurrentMap;

/** The kinds of the texts that a driver keeps: scanned once, then found by identity. Weak, so that it holds what the driver holds. Thread safe. */
final class Kinds {
    private final Dialect dialect;
    private final WeakConcurrentMap<String, StatementKind> known = new WeakConcurrentMap.WithInlinedExpunction<>();

    Kinds(Dialect dialect) {
        this.dialect = dialect;
    }

    StatementKind of(String sql) {
        StatementKind kind = known.getIfPresent(sql);
        if (kind == null) {
            kind = dialect.kindOf(sql);
            known.put(sql, kind);
        }
        return kind;
    }

    /** Of several statements that are sent at once: the one that asks most of the fence. */
    StatementKind of(String[] sql) {
        StatementKind most = of(sql[0]);
        for (int i = 1; i < sql.length; i++) {
            most = most.with(of(sql[i]));
        }
        return most;
    }
}
