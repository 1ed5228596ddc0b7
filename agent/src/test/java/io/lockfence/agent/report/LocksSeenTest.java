/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocksSeenTest {
    @ParameterizedTest
    @CsvSource({
        "order:42, order:*",
        "order, order",
        "'', ''",
        "42, *",
        "user-1234-cart-5, user-*-cart-*",
        "cafe, cafe",
        "job:deadbeef01, job:*",
        "job:123e4567-e89b-12d3-a456-426614174000, job:*",
        "job:123e4567-e89b-12d3-a456-426614174000:7, job:*:*",
        "v2:stock, v*:stock",
    })
    void namesThatDifferInNumbersAreOneFamily(String lock, String family) {
        assertThat(LocksSeen.familyName(lock)).isEqualTo(family);
    }

    @Test
    void keepsABoundedNumberOfFamilies() {
        LocksSeen locks = new LocksSeen();
        String letters = "abcdefghij";
        for (int i = 0; i < 10_000; i++) {
            StringBuilder name = new StringBuilder("x");
            for (int rest = i; rest > 0; rest /= 10) {
                name.append(letters.charAt(rest % 10));
            }
            locks.of(name.toString()).taken.increment();
        }

        assertThat(locks.size()).isBetween(200, 201);
        assertThat(locks.busiest(1).get(0).name).isEqualTo("(other locks)");
        assertThat(locks.busiest(300).stream()
                        .mapToLong(family -> family.taken.sum())
                        .sum())
                .isEqualTo(10_000);
    }

    @Test
    void longNamesAreCut() {
        assertThat(LocksSeen.familyName("x".repeat(10_000))).hasSizeLessThan(80);
    }
}
