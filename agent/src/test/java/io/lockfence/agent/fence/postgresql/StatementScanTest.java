/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.fence.StatementKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StatementScanTest {
    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("examples")
    void tellsWhatAStatementDoes(StatementKind kind, String sql) {
        assertThat(StatementScan.kind(sql)).as(sql).isEqualTo(kind);
        assertThat(StatementScan.kind("/* a /* nested */ comment; */ " + sql + " -- at the end; COMMIT"))
                .as("with comments")
                .isEqualTo(kind);
        if (!sql.contains("\"")) {
            assertThat(StatementScan.kind(sql.toUpperCase(Locale.ROOT)))
                    .as("in upper case")
                    .isEqualTo(kind);
        }
    }

    static Stream<Arguments> examples() {
        return Stream.of(
                        of(StatementKind.EMPTY, "", " ", ";", " ;; \n"),
                        of(
                                StatementKind.HARMLESS,
                                "SET search_path = public",
                                "SET LOCAL lock_timeout = '1s'",
                                "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
                                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                                "SHOW transaction_isolation",
                                "RESET ALL",
                                "DISCARD ALL",
                                "DEALLOCATE ALL",
                                "LISTEN jobs",
                                "UNLISTEN *",
                                "PREPARE q AS INSERT INTO t VALUES ($1)",
                                "CLOSE c",
                                "ROLLBACK PREPARED 'x'",
                                "SET a = 1; SET b = 2;"),
                        of(
                                StatementKind.LITERAL_SELECT,
                                "SELECT 1",
                                "select 1;",
                                "SELECT 'x'",
                                "SELECT NULL",
                                "SELECT true AS ok, -1.5e3 AS n, 'a''b' AS \"A\"",
                                "SELECT $1, ?",
                                "SELECT 1 one, 2 two",
                                "SELECT '1'::int",
                                "SELECT $$DELETE FROM t$$",
                                "SELECT 'INSERT INTO t VALUES (1)'",
                                "SELECT E'it\\'s; COMMIT'",
                                "SELECT pg_advisory_lock(42)",
                                "SELECT pg_catalog.pg_try_advisory_xact_lock($1, ?) AS held",
                                "SELECT pg_advisory_unlock(hashtext('a' || lower('B'))), pg_advisory_unlock_all();"),
                        of(
                                StatementKind.CATALOG,
                                "SELECT relname FROM pg_catalog.pg_class",
                                "SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'",
                                "SELECT * FROM information_schema.tables WHERE table_name = 'x'",
                                "SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, pg_catalog.format_type(a.atttypid, a.atttypmod) FROM"
                                        + " pg_catalog.pg_namespace n, pg_catalog.pg_attribute a, (SELECT i.indrelid,"
                                        + " information_schema._pg_expandarray(i.indkey) AS keys FROM pg_catalog.pg_index i) s WHERE n.nspname LIKE 'a'",
                                "SELECT pg_type.oid, typname FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r from"
                                        + " pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname from generate_series(1,"
                                        + " array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid ="
                                        + " typnamespace WHERE typname = $1 ORDER BY sp.r, pg_type.oid DESC LIMIT 1"),
                        of(
                                StatementKind.READ,
                                "SELECT * FROM t",
                                "SELECT pg_advisory_lock(id) FROM t",
                                "SELECT * FROM pg_advisory_lock(42)",
                                "SELECT pg_advisory_lock((SELECT max(id) FROM t))",
                                "SELECT pg_advisory_lock(42), version()",
                                "(SELECT 1) UNION (SELECT 2)",
                                "SELECT 1 FROM t",
                                "SELECT 1FROM t",
                                "SELECT 1 UNION TABLE t",
                                "SELECT x",
                                "SELECT 1::positive",
                                "SELECT version()",
                                "SELECT count(*), max(a), coalesce(b, 0) FROM t GROUP BY c HAVING sum(d) > 1",
                                "SELECT a FROM t WHERE id IN (1, 2) AND EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
                                "SELECT row_number() OVER (PARTITION BY a ORDER BY b), count(*) FILTER (WHERE c) FROM t",
                                "SELECT a, count(*) FROM t GROUP BY (a, b), c ORDER BY (a)",
                                "SELECT a, sum(b) FROM t GROUP BY ROLLUP (a, b)",
                                "SELECT a, sum(b) FROM t GROUP BY GROUPING SETS ((a), ())",
                                "SELECT * FROM t ORDER BY a FETCH FIRST (5) ROWS ONLY",
                                "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t",
                                "SELECT CAST(a AS numeric(10,2)), b::varchar(10), c::public.geometry(Point, 4326) FROM t",
                                "SELECT extract(year FROM d), substring(s FROM 2 FOR 3), trim(both ' ' FROM s) FROM t",
                                "SELECT a IS NOT DISTINCT FROM b FROM t",
                                "SELECT pg_catalog.lower(a) FROM t",
                                "WITH x AS (SELECT 1), y (a, b) AS MATERIALIZED (SELECT 1, 2) SELECT * FROM x, y",
                                "WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r",
                                "SELECT * FROM (VALUES (1, 'a')) v (id, name) JOIN t x (id) USING (id)",
                                "SELECT * FROM generate_series(1, 5) AS s(i), unnest(ARRAY[1]) WITH ORDINALITY u (a, b)",
                                "SELECT * FROM json_to_recordset('[]') AS r(a int, b varchar(10))",
                                "SELECT * FROM t TABLESAMPLE system (10)",
                                "SELECT * FROM t FOR UPDATE",
                                "SELECT * FROM t FOR NO KEY UPDATE OF t SKIP LOCKED",
                                "SELECT * FROM t WHERE a = 1 FOR UPDATE NOWAIT LIMIT 1",
                                "SELECT * FROM (SELECT * FROM t FOR UPDATE) s",
                                "SELECT * FROM t FOR SHARE; SELECT 1",
                                "SELECT 'a' 'b' FROM t WHERE b = $tag$ ; DELETE FROM t; $other$ $tag$",
                                "SELECT a ->> 'x', b ? 'k', c @> '{}' FROM t",
                                "SELECT \"delete\" FROM \"insert\"",
                                "SELECT t.update FROM t",
                                "SELECT * FROM pg_catalog.pg_class, orders",
                                "SELECT * FROM pg_catalog.pg_largeobject",
                                "SELECT (SELECT max(id) FROM orders) FROM pg_catalog.pg_class",
                                "SELECT * FROM \"pg_catalog\".pg_class",
                                "SELECT 1 FROM pg_class UNION TABLE t",
                                "VALUES (1), (2)",
                                "TABLE t",
                                "LOCK TABLE t IN SHARE MODE",
                                "EXPLAIN INSERT INTO t VALUES (1)",
                                "EXPLAIN (COSTS false) DELETE FROM t",
                                "EXPLAIN ANALYZE SELECT * FROM t",
                                "SET TRANSACTION SNAPSHOT '1'",
                                "SELECT * FROM t; SHOW x",
                                "SELECT 'C:\\dir' FROM t",
                                "SELECT {d '2020-01-01'}, {fn concat(a, b)} FROM t"),
                        of(
                                StatementKind.CURSOR,
                                "DECLARE c CURSOR FOR SELECT * FROM t",
                                "DECLARE c NO SCROLL CURSOR WITHOUT HOLD FOR SELECT 1"),
                        of(StatementKind.FETCH, "FETCH 10 FROM c", "MOVE FORWARD ALL IN c"),
                        of(StatementKind.COPY_OUT, "COPY t TO STDOUT", "COPY (SELECT a FROM t) TO STDOUT (FORMAT csv)"),
                        of(StatementKind.COPY_IN, "COPY t (a, b) FROM STDIN", "COPY t FROM STDIN WITH (FORMAT binary)"),
                        of(
                                StatementKind.WRITE,
                                "SELECT next('invoice')",
                                "SELECT first(a), over(b), filter(c) FROM t",
                                "SELECT keep(1)",
                                "SELECT cube(a) FROM t",
                                "SELECT by(1)",
                                "INSERT INTO t VALUES (1)",
                                "UPDATE t SET a = 1",
                                "DELETE FROM t",
                                "MERGE INTO t USING u ON (t.id = u.id) WHEN MATCHED THEN DO NOTHING",
                                "TRUNCATE t",
                                "CREATE TABLE t (a int)",
                                "CREATE INDEX i ON t (a)",
                                "DROP TABLE t",
                                "ALTER TABLE t ADD b int",
                                "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
                                "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM u; DELETE FROM v)",
                                "GRANT SELECT ON t TO u",
                                "NOTIFY jobs",
                                "EXECUTE q(1)",
                                "REFRESH MATERIALIZED VIEW CONCURRENTLY v",
                                "SET CONSTRAINTS ALL IMMEDIATE",
                                "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
                                "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
                                "WITH x AS (SELECT 1) (SELECT 2) ORDER BY nextval('s')",
                                "SELECT a INTO b FROM t",
                                "SELECT f(1)",
                                "SELECT nextval('s')",
                                "SELECT pg_catalog.nextval('s')",
                                "SELECT set_config('a', 'b', true)",
                                "SELECT lo_create(0)",
                                "SELECT txid_current()",
                                "SELECT query_to_xml('DELETE FROM t', true, true, '')",
                                "SELECT pg_notify('a', 'b')",
                                "SELECT public.lower('A')",
                                "SELECT \"lower\"('A')",
                                "SELECT f /* spaced */ (1)",
                                "SELECT DISTINCT ON (a) nextval('s') FROM t",
                                "SELECT 1 OPERATOR(pg_catalog.+) nextval('s')",
                                "SELECT * FROM f(1)",
                                "SELECT * FROM a, f(1) x",
                                "SELECT * FROM a JOIN LATERAL f(a.b) x (y) ON true",
                                "SELECT * FROM ROWS FROM (generate_series(1, 2), f(1))",
                                "SELECT a FROM t WHERE (f(a))",
                                "SELECT a FROM t x WHERE f(a)",
                                "SELECT a FROM t ORDER BY f(a)",
                                "SELECT a FROM t LIMIT f(1)",
                                "SELECT a FROM t JOIN u ON f(t.a, u.a)",
                                "SELECT a FROM t FOR UPDATE x",
                                "SELECT CASE WHEN f(a) THEN 1 END FROM t",
                                "EXPLAIN ANALYZE DELETE FROM t",
                                "EXPLAIN (VERBOSE, ANALYZE) UPDATE t SET a = 1",
                                "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t",
                                "DECLARE c CURSOR FOR SELECT f(1)",
                                "COPY t TO '/tmp/x'",
                                "COPY t TO PROGRAM 'sh'",
                                "COPY t FROM '/tmp/x'",
                                "COPY (DELETE FROM t RETURNING *) TO STDOUT",
                                "SELECT 1; DELETE FROM t",
                                "SELECT 1; VACUUM",
                                "SELECT (1; DELETE FROM t",
                                "SELECT 'open",
                                "SELECT $a$ open",
                                "SELECT \"open",
                                "something else",
                                ")"),
                        of(
                                StatementKind.ROUTINE,
                                "CALL p(1)",
                                "DO $$ BEGIN COMMIT; END $$",
                                "{call p(?)}",
                                "{? = call f(?)}"),
                        of(
                                StatementKind.MAINTENANCE,
                                "VACUUM FULL t",
                                "ANALYZE t",
                                "CHECKPOINT",
                                "REINDEX TABLE t",
                                "CREATE UNIQUE INDEX CONCURRENTLY i ON t (lower(a))",
                                "DROP INDEX CONCURRENTLY i",
                                "ALTER TABLE t DETACH PARTITION p CONCURRENTLY",
                                "CREATE DATABASE d",
                                "ALTER SYSTEM SET a = 1"),
                        of(
                                StatementKind.BEGIN,
                                "BEGIN",
                                "BEGIN ISOLATION LEVEL SERIALIZABLE",
                                "START TRANSACTION READ ONLY",
                                "BEGIN; SET LOCAL a = 1"),
                        of(
                                StatementKind.COMMIT,
                                "COMMIT",
                                "END",
                                "commit work;",
                                "END TRANSACTION",
                                "COMMIT AND NO CHAIN"),
                        of(StatementKind.COMMIT_AND_CHAIN, "COMMIT AND CHAIN", "END WORK AND CHAIN"),
                        of(StatementKind.ROLLBACK, "ROLLBACK", "ABORT", "ROLLBACK AND CHAIN", "rollback work"),
                        of(StatementKind.ROLLBACK_TO, "ROLLBACK TO a", "ROLLBACK WORK TO SAVEPOINT a"),
                        of(StatementKind.SAVEPOINT, "SAVEPOINT a"),
                        of(StatementKind.RELEASE, "RELEASE a", "RELEASE SAVEPOINT a"),
                        of(StatementKind.PREPARE_TRANSACTION, "PREPARE TRANSACTION 'x'"),
                        of(StatementKind.COMMIT_PREPARED, "COMMIT PREPARED 'x'"),
                        of(
                                StatementKind.MIXED,
                                "BEGIN; DELETE FROM t",
                                "DELETE FROM t; COMMIT",
                                "COMMIT; BEGIN",
                                "SELECT 1; ROLLBACK",
                                "SAVEPOINT a; SELECT 1",
                                "COMMIT; SELECT 'open"))
                .flatMap(s -> s);
    }

    private static Stream<Arguments> of(StatementKind kind, String... statements) {
        return Arrays.stream(statements).map(sql -> Arguments.of(kind, sql));
    }

    @Test
    void backslashBeforeAQuoteIsReadBothWays() {
        assertThat(StatementScan.kind("SELECT 'a\\' , '; COMMIT; --'")).isEqualTo(StatementKind.MIXED);
        assertThat(StatementScan.kind("SELECT 'it\\'s; DELETE FROM t; --' FROM t"))
                .isEqualTo(StatementKind.WRITE);
        assertThat(StatementScan.kind("COMMIT")).isEqualTo(StatementKind.COMMIT);
    }

    @Test
    void timeIsLinearInTheLength() {
        for (String piece : List.of(
                "(", "/*", "$a$a", "$a", "''", "\"\"", "a.", "--\r", "'\\'", "SELECT ", "f(", "1e", "x ,", ";",
                "/* */a")) {
            String sql = "SELECT " + piece.repeat(400_000);

            Assertions.assertTimeout(Duration.ofSeconds(10), () -> StatementScan.kind(sql), piece);
        }
    }

    @Test
    void noChangeAmongRandomPiecesIsCalledARead() {
        long seed = Long.getLong("lockfence.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> changes = List.of(
                "INSERT INTO t VALUES (1)",
                "UPDATE t SET a = 1",
                "DELETE FROM t",
                "MERGE INTO t USING u ON a = b",
                "DROP TABLE t",
                "TRUNCATE t");
        List<String> blanks = List.of(" ", "\n", "\t", " /* SELECT */ ", " -- SELECT 1;\n", "/*/* ' */\"*/");
        List<String> texts = List.of(
                "'x'", "'it''s'", "E'\\''", "$$;$$", "$q$ ' $q$", "\"a;b\"", "1", "a", "?", "$1", "(1)", "lower('x')");
        for (int run = 0; run < 20_000; run++) {
            StringBuilder sql = new StringBuilder();
            int before = random.nextInt(3);
            for (int i = 0; i < before; i++) {
                sql.append("SELECT ")
                        .append(any(random, texts))
                        .append(any(random, blanks))
                        .append(';');
            }
            sql.append(any(random, blanks));
            boolean inside = random.nextInt(4) == 0;
            sql.append(inside ? "WITH x AS (" + "DELETE" + any(random, blanks) + "FROM t RETURNING *) SELECT " : "");
            sql.append(inside ? any(random, texts) : any(random, changes));
            sql.append(any(random, blanks));
            if (random.nextBoolean()) {
                sql.append("; SELECT ").append(any(random, texts));
            }
            String text = sql.toString();

            assertThat(StatementScan.kind(text).writes())
                    .as("seed %d, run %d: %s is a %s", seed, run, text, StatementScan.kind(text))
                    .isTrue();
        }
    }

    @Test
    void anyTextGetsAKind() {
        long seed = Long.getLong("lockfence.seed", System.nanoTime());
        Random random = new Random(seed);
        String letters = "abAZ_09 '\"$$;:(),.-/*\\?{}\n\u00e4\ud83d\0eEuU&";
        Set<String> words = Set.of(
                "SELECT",
                " FROM ",
                " WITH ",
                " FOR ",
                " UPDATE ",
                " AS ",
                " COPY ",
                " DECLARE ",
                " BEGIN ATOMIC ",
                " EXPLAIN ");
        List<String> list = words.stream().sorted().toList();
        for (int run = 0; run < 50_000; run++) {
            StringBuilder sql = new StringBuilder();
            int length = random.nextInt(40);
            for (int i = 0; i < length; i++) {
                if (random.nextInt(4) == 0) {
                    sql.append(any(random, list));
                } else {
                    sql.append(letters.charAt(random.nextInt(letters.length())));
                }
            }
            String text = sql.toString();

            assertThat(Assertions.assertDoesNotThrow(
                            () -> StatementScan.kind(text), () -> "seed " + seed + ": " + text))
                    .as("seed %d: %s", seed, text)
                    .isNotNull();
        }
    }

    private static String any(Random random, List<String> list) {
        return list.get(random.nextInt(list.size()));
    }
}
