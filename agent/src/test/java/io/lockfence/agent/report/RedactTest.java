/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://db:5432/orders | jdbc:postgresql://db:5432/orders",
                "jdbc:postgresql://a:1,b:2,c/orders | jdbc:postgresql://a:1,b:2,c/orders",
                "jdbc:postgresql://[::1]:5432/orders | jdbc:postgresql://[::1]:5432/orders",
                "jdbc:postgresql:orders | jdbc:postgresql:orders",
                "jdbc:postgresql:/ | jdbc:postgresql:/",
                "jdbc:postgresql://db/orders?user=bob&password=hunter2 | jdbc:postgresql://db/orders",
                "jdbc:postgresql://db/orders?password=hun@ter2 | jdbc:postgresql://db/orders",
                "jdbc:postgresql://bob:hunter2@db/orders | jdbc:postgresql://db/orders",
                "jdbc:h2:mem:x;USER=sa;PASSWORD=hunter2 | jdbc:h2:mem:x",
                "jdbc:oracle:thin:scott/hunter2@//db:1521/orders | jdbc:oracle:thin://db:1521/orders",
                "jdbc:mysql://address=(host=db)(password=hunter2)/orders | jdbc:mysql://address=(host=db)(password=***)/orders",
                "redis://:hunter2@cache:6379/0 | redis://cache:6379/0",
                "redis://bob:hun@ter2@cache:6379/0 | redis://cache:6379/0",
            })
    void keepsWhereAndDropsWho(String url, String shown) {
        assertThat(Redact.url(url)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://bob:hunter2?x@db/orders",
                "jdbc:postgresql://bob:hunter2;x@db/orders",
                "jdbc:postgresql://bob:hunter2#x@db/orders",
                "jdbc:postgresql://bob:x/hunter2@db/orders",
                "redis://hunter2@cache",
                "hunter2@db"
            })
    void anOddUrlHidesMoreRatherThanLess(String url) {
        assertThat(Redact.url(url)).doesNotContain("hunter2");
    }

    @Test
    void nullStaysNull() {
        assertThat(Redact.url(null)).isNull();
    }
}
