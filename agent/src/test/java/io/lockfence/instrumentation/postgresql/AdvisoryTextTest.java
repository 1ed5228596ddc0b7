/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.lockfence.instrumentation.postgresql.AdvisoryText.Call;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Does;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Key;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdvisoryTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "SELECT 1",
                "UPDATE stock SET value = 1",
                "SELECT 'pg_advisory_lock(1)'",
                "SELECT 1 -- pg_advisory_lock(1)",
                "SELECT /* /* pg_advisory_lock(1) */ pg_advisory_lock(2) */ 1",
                "SELECT $$pg_advisory_lock(1)$$, $a$ pg_advisory_lock(2) $$ $a$",
                "SELECT E'\\' pg_advisory_lock(1)'",
                "SELECT pg_advisory_lock FROM t",
                "SELECT my_pg_advisory_lock(1)",
                "SELECT pg_advisory_lock_it(1)",
                "SELECT * FROM pg_locks WHERE locktype = 'advisory'"
            })
    void whatTakesNoAdvisoryLock(String sql) {
        assertThat(AdvisoryText.scan(sql)).isSameAs(AdvisoryText.NONE);
    }

    @Test
    void callsWithTheirNumbers() {
        assertThat(calls("select pg_advisory_lock(42)")).containsExactly(call(Does.LOCK, false, false, new Key(42, 0)));
        assertThat(calls("SELECT pg_catalog.\"pg_try_advisory_xact_lock\" ( -7 , $2 :: int4 )"))
                .containsExactly(call(Does.TRY, true, false, new Key(-7, 0), new Key(0, 2)));
        assertThat(calls("SELECT PG_ADVISORY_XACT_LOCK_SHARED('9223372036854775807'::bigint)"))
                .containsExactly(call(Does.LOCK, true, true, new Key(Long.MAX_VALUE, 0)));
        assertThat(calls("SELECT pg_advisory_unlock($1), pg_advisory_unlock_all()"))
                .containsExactly(
                        call(Does.UNLOCK, false, false, new Key(0, 1)), new Call(Does.UNLOCK_ALL, false, false, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hashtext('a, b')",
                "hashtext(?)",
                "id",
                "$1 + 1",
                "42.0",
                "99999999999999999999",
                "$1::text",
                "(SELECT 1)",
                "1, 2, 3",
                "",
                "$0",
                "VARIADIC"
            })
    void numbersThatOnlyTheServerKnows(String arguments) {
        assertThat(calls("SELECT pg_advisory_lock(" + arguments + ")"))
                .containsExactly(new Call(Does.LOCK, false, false, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT pg_advisory_lock(1)                        | true",
                "select pg_catalog.pg_advisory_lock($1) ;          | true",
                "SELECT pg_advisory_lock(1) AS held                | true",
                "SELECT pg_advisory_lock(1) held                   | true",
                "/* why */ SELECT pg_advisory_lock(1) -- so        | true",
                "SELECT pg_advisory_lock(1) FROM jobs              | false",
                "SELECT pg_advisory_lock(1) WHERE false            | false",
                "SELECT pg_advisory_lock(1), pg_advisory_lock(2)   | false",
                "SELECT CASE WHEN false THEN pg_advisory_lock(1) END | false",
                "SELECT pg_advisory_lock(1) LIMIT 0                | false",
                "EXPLAIN SELECT pg_advisory_lock(1)                | false"
            })
    void theCallIsMadeForSureOnlyInAPlainText(String sql, boolean plain) {
        assertThat(AdvisoryText.scan(sql).plain()).isEqualTo(plain);
    }

    @Test
    void whatEndsTransactionsAndSessions() {
        assertThat(AdvisoryText.scan(" rollback TO a").endsTransaction()).isTrue();
        assertThat(AdvisoryText.scan("/* x */ COMMIT AND CHAIN").endsTransaction())
                .isTrue();
        assertThat(AdvisoryText.scan("DISCARD ALL").unlocks()).isTrue();
        AdvisoryText both = AdvisoryText.of(List.of("SELECT pg_advisory_lock(1)", "COMMIT"));
        assertThat(both.locks()).isTrue();
        assertThat(both.endsTransaction()).isTrue();
        assertThat(both.plain()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"('42'::int8),42", "42,42", "'-7',-7", "('3'::int4),3", "-5::bigint,-5"})
    void theDriversTextOfAParameter(String literal, long number) {
        // CSV takes the quotes of a literal that is quoted alone.
        assertThat(AdvisoryCall.number(literal)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "NULL", "?", "('abc'::text)", "4.5", "('4.5'::numeric)", "'", "99999999999999999999"})
    void aParameterThatIsNoInteger(String literal) {
        assertThat(AdvisoryCall.number(literal)).isNull();
    }

    /** Whatever a service sends, the scan comes to an end and throws nothing. */
    @Test
    void noTextBreaksIt() {
        String[] pieces = {
            "SELECT ",
            "pg_advisory_lock",
            "pg_try_advisory_xact_lock",
            "pg_advisory_unlock_all",
            "(",
            ")",
            ",",
            "'",
            "\"",
            "$$",
            "$a$",
            "$1",
            "/*",
            "*/",
            "--",
            "\n",
            "E'",
            "\\",
            "::",
            "bigint",
            "-",
            "42",
            ";",
            " ",
            "é",
            "\uD800",
            "\0",
            "hashtext",
            "DISCARD ",
            "COMMIT",
            "rollback"
        };
        Random random = new Random(20);
        for (int i = 0; i < 200_000; i++) {
            StringBuilder sql = new StringBuilder();
            for (int n = random.nextInt(14); n >= 0; n--) {
                sql.append(pieces[random.nextInt(pieces.length)]);
            }
            String text = sql.toString();
            assertThatCode(() -> {
                        AdvisoryText scanned = AdvisoryText.scan(text);
                        scanned.plain();
                        AdvisoryCall.names(scanned, null, null);
                        AdvisoryCall.number(text);
                    })
                    .as(text)
                    .doesNotThrowAnyException();
        }
    }

    private static List<Call> calls(String sql) {
        return AdvisoryText.scan(sql).calls();
    }

    private static Call call(Does does, boolean transaction, boolean shared, Key... keys) {
        return new Call(does, transaction, shared, List.of(keys));
    }
}
