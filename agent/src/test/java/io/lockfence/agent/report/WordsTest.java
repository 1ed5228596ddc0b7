/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {
    @ParameterizedTest
    @CsvSource({
        "-5, 0 ms",
        "0, 0.0 ms",
        "440000, 0.4 ms",
        "350999999, 350 ms",
        "999999999, 999 ms",
        "1000000000, 1.0 s",
        "59990000000, 59.9 s",
        "60000000000, 1 min 0 s",
        "184000000000, 3 min 4 s",
        "3600000000000, 1 h 0 min",
        "7500000000000, 2 h 5 min",
        "9223372036854775807, 2562047 h 47 min",
    })
    void timesAreForPeople(long nanos, String words) {
        assertThat(Words.time(nanos)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 locks",
        "1, 1 lock",
        "999, 999 locks",
        "1234, '1,234 locks'",
        "-123456, '-123,456 locks'",
        "-9223372036854775808, '-9,223,372,036,854,775,808 locks'"
    })
    void countsAgreeWithTheirNoun(long number, String words) {
        assertThat(Words.count(number, "lock")).isEqualTo(words);
    }

    @Test
    void cutsLongTextsBetweenCharacters() {
        assertThat(Words.clean("ab\uD83D\uDD12cd", 3)).isEqualTo("ab...");
        assertThat(Words.clean("ab\uD83D\uDD12cd", 4)).isEqualTo("ab\uD83D\uDD12...");
    }

    @Test
    void escapesControlCharacters() {
        assertThat(Words.clean("a\r\nb\tc\u0085d", 100)).isEqualTo("a\\u000d\\u000ab\\u0009c\\u0085d");
    }
}
