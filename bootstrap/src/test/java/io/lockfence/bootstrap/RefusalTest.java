/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalTest {
    @ParameterizedTest
    @CsvSource({
        "STALE, LF001, 412",
        "EXPIRED, LF002, 0",
        "UNLEASED, LF003, 428",
        "UNKNOWN, LF004, 503",
        "DUPLICATE_TOKEN, LF005, 409",
        "OTHER_LOCK, LF006, 500",
        "CLAIM_LOST, LF007, 412",
        "UNGUARDABLE, LF008, 500"
    })
    void hasTheStatesThatServicesWereTold(Refusal refusal, String sqlState, int httpStatus) {
        assertThat(refusal.sqlState()).isEqualTo(sqlState);
        assertThat(refusal.httpStatus()).isEqualTo(httpStatus);
        assertThat(Refusal.ofSqlState(sqlState)).isEqualTo(refusal);
    }

    @Test
    void coversEveryRow() {
        assertThat(Refusal.values()).hasSize(8);
    }

    @ParameterizedTest
    @EnumSource
    void neitherEvictsTheConnectionNorInvitesARetry(Refusal refusal) {
        assertThat(refusal.sqlState()).hasSize(5).doesNotStartWith("08").doesNotStartWith("40");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "LF", "LF000", "LF009", "40001", "lf001"})
    void isNoneOfTheStatesOfOthers(String sqlState) {
        assertThat(Refusal.ofSqlState(sqlState)).isNull();
    }
}
