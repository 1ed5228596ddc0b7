/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcPatternTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql://db:5433/orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/orders?user=me&password=a/b",
        "jdbc:postgresql://*/orders, 'jdbc:postgresql://a:5432,b:5433/orders?targetServerType=primary'",
        "jdbc:postgresql://*/orders, jdbc:postgresql://[::1]:5432/orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql:orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql:///orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql://me:hush@db/orders",
        "jdbc:postgresql://*/*, jdbc:postgresql://db/",
        "jdbc:postgresql://db/orders, jdbc:postgresql://db:5432/orders",
        "jdbc:postgresql://db:5432/orders, jdbc:postgresql://db/orders",
        "'jdbc:postgresql://a,b/orders', 'jdbc:postgresql://a:5432,b:5432/orders'",
        "'jdbc:postgresql://a:5432,b:5432/orders', 'jdbc:postgresql://a,b/orders'",
        "jdbc:postgresql://localhost/orders, jdbc:postgresql:orders",
        "jdbc:postgresql://[::1]/orders, jdbc:postgresql://[::1]:5432/orders",
        "jdbc:postgresql:*, jdbc:postgresql:orders",
        "jdbc:postgresql:**, jdbc:postgresql://db/orders",
        "jdbc:**, jdbc:postgresql://db/orders",
        "**, jdbc:postgresql://db/orders",
        "**, jdbc:h2:mem:x",
        "**/orders, jdbc:postgresql://db/orders",
        "jdbc:postgresql://prices-*.internal/**, jdbc:postgresql://prices-1.internal/a/b",
    })
    void matches(String pattern, String url) {
        assertThat(JdbcPattern.parse(pattern).matches(url)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/orders2",
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/a/orders",
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/",
        "jdbc:postgresql://*/orders, jdbc:postgresql://db/stock?x=/orders",
        "jdbc:postgresql://db/orders, jdbc:postgresql://db:5433/orders",
        "jdbc:postgresql://db/orders, jdbc:postgresql://db2/orders",
        "jdbc:postgresql://*, jdbc:postgresql://db/orders",
        "*, jdbc:postgresql://db/orders",
        "jdbc:postgresql:*, jdbc:mysql:orders",
        "jdbc:postgresql://*/orders, ''",
    })
    void doesNotMatch(String pattern, String url) {
        assertThat(JdbcPattern.parse(pattern).matches(url)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db/orders?user=me&password=hush, jdbc:postgresql://db/orders",
        "jdbc:postgresql://me:hush@db/orders, jdbc:postgresql://***@db/orders",
        "jdbc:postgresql://me:hu/sh@db/orders, jdbc:postgresql://***@db/orders",
        "jdbc:sqlserver://db;user=sa;password=hush, jdbc:sqlserver://db",
        "jdbc:oracle:thin:scott/hush@//db/x, jdbc:oracle:***@//db/x",
        "hush@db, ***@db",
        "hush@db:5432:x, (a URL with credentials)",
        "jdbc:h2:mem:x, jdbc:h2:mem:x",
    })
    void credentialsAreNotShown(String url, String shown) {
        assertThat(JdbcUrl.shown(url)).isEqualTo(shown);
    }

    @Test
    void noUrlIsShownAsNone() {
        assertThat(JdbcUrl.shown(null)).isEqualTo("(no URL)");
    }

    @Test
    void matchesAsTheSameRegularExpressionWould() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String pattern = "jdbc:" + random(random, 6, "ab/*").replace("***", "**");
            String url = "jdbc:" + random(random, 8, "ab/");
            if (pattern.contains("***")) {
                continue;
            }
            String regex = pattern.replace("**", "§").replace("*", "[^/]*").replace("§", ".*");

            assertThat(JdbcPattern.parse(pattern).matches(url))
                    .as("seed %d: %s against %s", seed, pattern, url)
                    .isEqualTo(url.matches(regex));
        }
    }

    @Test
    void aPatternThatCoversAnotherMatchesAllOfItsUrls() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int covered = 0;
        for (int i = 0; i < 20_000; i++) {
            String wide = "jdbc:" + random(random, 3, "a/**");
            String narrow = "jdbc:" + random(random, 4, "a/*");
            if (wide.contains("***") || narrow.contains("***")) {
                continue;
            }
            JdbcPattern cover = JdbcPattern.parse(wide);
            if (cover.covers(JdbcPattern.parse(narrow))) {
                covered++;
                String url = narrow.replace("**", random(random, 3, "ab/")).replace("*", random(random, 2, "ab"));
                assertThat(cover.matches(url))
                        .as("seed %d: %s covers %s, but not its %s", seed, wide, narrow, url)
                        .isTrue();
            } else {
                String url = narrow.replace("**", "z/z/z").replace("*", "z");
                assertThat(cover.matches(url))
                        .as("seed %d: %s does not cover %s, but matches %s", seed, wide, narrow, url)
                        .isFalse();
            }
        }
        assertThat(covered).isPositive();
    }

    private static String random(Random random, int longest, String alphabet) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(longest + 1);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
