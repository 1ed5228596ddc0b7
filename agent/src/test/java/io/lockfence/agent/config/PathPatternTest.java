/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {
    @ParameterizedTest
    @CsvSource({
        "/**, /",
        "/**, /a/b",
        "/stock/**, /stock/1",
        "/stock/**, /stock/1/2",
        "/stock/**, /stock/",
        "/stock/**, /stock",
        "/stock, /stock/",
        "/stock/, /stock",
        "/stock/*, /stock/1",
        "/stock/*, /stock/1/",
        "/stock/**, //stock//1",
        "/stock/**, /x/../stock/1",
        "/stock/**, /./stock/1",
        "/stock/**, /../stock/1",
        "/stock/**, /stock/1%2f2",
        "/aufträge/*, /aufträge/42",
        "/a b, /a b",
        "/stock*/**, /stock-2/1",
        "/**/items, /a/b/items",
        "/com.acme.Stock/*, /com.acme.Stock/Reserve",
        // As it is, for whoever routes without resolving.
        "/stock/**, /stock/../other",
        "/stock/*/items, /stock//items",
        "/stock/*/items, /stock/\uFFFF/items",
    })
    void matches(String pattern, String path) {
        assertThat(PathPattern.parse(pattern).matches(path)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "/stock/**, /stocks",
        "/stock/**, /Stock/1",
        "/stock/**, /",
        "/stock/**, ''",
        "/stock/**, *",
        "/stock, /stock/1",
        "/stock/*, /stock/1/2",
        "/stock/*, /stock",
    })
    void doesNotMatch(String pattern, String path) {
        assertThat(PathPattern.parse(pattern).matches(path)).isFalse();
    }
}
