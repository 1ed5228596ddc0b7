/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * What a session is asked of the advisory locks that it holds itself, which is the only thing that proves a hold: in one statement with the number of its backend, on the session's own connection. Nothing in
 * it fails where it may be asked, or the service's transaction would fail with it.
 */
final class AdvisoryQuestion {
    private static final String NAME = """
            CASE l.objsubid WHEN 1 THEN ((l.classid::pg_catalog.int8 OPERATOR(pg_catalog.<<) 32) OPERATOR(pg_catalog.|) l.objid::pg_catalog.int8)::pg_catalog.text
            ELSE pg_catalog.concat(l.classid::pg_catalog.int8 - CASE WHEN l.classid::pg_catalog.int8 >= 2147483648 THEN 4294967296 ELSE 0 END, '/',
              l.objid::pg_catalog.int8 - CASE WHEN l.objid::pg_catalog.int8 >= 2147483648 THEN 4294967296 ELSE 0 END) END
            """;

    /** Needs nothing of ours in the database; says whether there is what issues numbers, and whether it may be used. */
    private static final String HELD = """
            SELECT pg_catalog.pg_backend_pid(), %s, l.mode = 'ShareLock', NULL::pg_catalog.int8, CASE
                WHEN r.name IS NULL THEN 'missing' WHEN NOT r.allowed THEN 'rights' END
            FROM (SELECT pg_catalog.max(p.proname::pg_catalog.text) AS name, pg_catalog.bool_and(pg_catalog.has_schema_privilege(n.oid, 'USAGE')
                  AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) AS allowed
                FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid
                WHERE n.nspname = 'lockfence' AND p.proname = 'advisory_locks' AND p.pronargs = 2) r
              LEFT JOIN pg_catalog.pg_locks l ON l.locktype = 'advisory' AND l.granted AND l.pid = pg_catalog.pg_backend_pid()
                AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
            """.formatted(NAME);

    private static final String HELD_WITH_NUMBERS =
            "SELECT backend, lock_name, shared, token, problem FROM lockfence.advisory_locks(?::text[], ?::bigint)";

    private AdvisoryQuestion() {}

    /**
     * The answer.
     *
     * @param sentAt {@link System#nanoTime()} before it was asked
     * @param backend that answered
     * @param problem why no number was issued: {@code missing}, {@code rights}, {@code read_only}, {@code standby}; null if there was no reason
     */
    record Answer(long sentAt, int backend, String problem, List<Held> held) {
        Held of(String name) {
            for (Held each : held) {
                if (each.name.equals(name) && !each.shared) {
                    return each;
                }
            }
            return null;
        }
    }

    /**
     * One lock that the backend holds.
     *
     * @param token 0 if none was issued
     */
    record Held(String name, boolean shared, long token) {}

    /** What is held, and whether numbers could be had. */
    static Answer held(Connection service) throws SQLException {
        return ask(service, HELD, null, null);
    }

    /**
     * What is held, with a number for each lock that is not known: issued in the same statement.
     *
     * @param known names that get none
     * @param above what each number is above; null to issue none
     */
    static Answer numbered(Connection service, List<String> known, Long above) throws SQLException {
        return ask(service, HELD_WITH_NUMBERS, "{" + String.join(",", known) + "}", above);
    }

    private static Answer ask(Connection service, String sql, String known, Long above) throws SQLException {
        long sentAt = System.nanoTime();
        try (PreparedStatement statement = service.prepareStatement(sql)) {
            // The service's defaultRowFetchSize would make a cursor of our few rows.
            statement.setFetchSize(0);
            if (known != null) {
                statement.setString(1, known);
                if (above == null) {
                    statement.setNull(2, Types.BIGINT);
                } else {
                    statement.setLong(2, above);
                }
            }
            try (ResultSet rows = statement.executeQuery()) {
                int backend = 0;
                String problem = null;
                List<Held> held = new ArrayList<>();
                while (rows.next()) {
                    backend = rows.getInt(1);
                    problem = problem == null ? rows.getString(5) : problem;
                    if (rows.getString(2) != null) {
                        held.add(new Held(rows.getString(2), rows.getBoolean(3), rows.getLong(4)));
                    }
                }
                return new Answer(sentAt, backend, problem, held);
            }
        }
    }

    /** Ends a transaction that a question has opened. */
    static void end(Connection service) throws SQLException {
        try (Statement statement = service.createStatement()) {
            statement.execute("COMMIT");
        }
    }
}
