/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpPatternTest {
    @ParameterizedTest
    @CsvSource({
        "https://stock.internal/**, https://stock.internal/",
        "https://stock.internal/**, https://stock.internal",
        "https://stock.internal/**, https://stock.internal/a/b?c=d#e",
        "https://stock.internal/**, https://stock.internal?a=/b",
        "https://stock.internal/**, https://stock.internal#a",
        "https://stock.internal/**, HTTPS://Stock.INTERNAL/a",
        "https://stock.internal/**, https://stock.internal./a",
        "https://stock.internal/**, https://stock.internal:443/a",
        "https://stock.internal/**, https://stock.internal.:443/a",
        "https://stock.internal/**, https://stock.internal:/a",
        "https://stock.internal:443/**, https://stock.internal/a",
        "https://stock.internal./**, https://stock.internal/a",
        "https://STOCK.internal/**, https://stock.internal/a",
        "https://stock.internal/**, https://me:hush@stock.internal/a",
        "https://stock.internal/**, https://evil.example@stock.internal/a",
        "https://stock.internal:8443/**, https://stock.internal:8443/a",
        "https://stock.internal:*/**, https://stock.internal/a",
        "https://stock.internal:*/**, https://stock.internal:8443/a",
        "http://stock.internal/**, http://stock.internal:80/a",
        "*://stock.internal/**, http://stock.internal/a",
        "*://stock.internal/**, https://stock.internal/a",
        "*://stock.internal/**, https://stock.internal:443/a",
        "*://*:*/**, http://a:1/",
        "https://*.internal/**, https://stock.internal/a",
        "https://*.internal/**, https://a.b.internal/a",
        "https://*/**, https://[::1]/a",
        "https://stock-*.internal/**, https://stock-1.internal/a",
        "https://[::1]/**, https://[0:0:0:0:0:0:0:1]/a",
        "https://[2001:DB8::1]:8443/**, https://[2001:db8:0::1]:8443/a",
        "https://[fe80::1]/**, https://[fe80::1%25eth0]/a",
        "https://127.0.0.1/**, https://127.0.0.1/a",
        "https://münchen.example/**, https://xn--mnchen-3ya.example/a",
        "https://xn--mnchen-3ya.example/**, https://MÜNCHEN.example/a",
        "https://a/stock/**, https://a/stock",
        "https://a/stock/**, https://a/stock/",
        "https://a/stock/**, https://a//stock///1",
        "https://a/stock/**, https://a/x/../stock/1",
        "https://a/stock/**, https://a/./stock/./1",
        "https://a/stock/**, https://a/%2e%2E/stock/1",
        "https://a/stock/**, https://a/%73tock/1",
        "https://a/stock/**, https://a/stock;v=1/1;x",
        "https://a/%73tock/**, https://a/stock/1",
        "https://a/stock, https://a/stock/",
        "https://a/stock/, https://a/stock",
        "https://a/stock/*, https://a/stock/1",
        "https://a/stock/*, https://a/stock/1/",
        "https://a/stock/*/items, https://a/stock/a%2fb/items",
        "https://a/aufträge, https://a/auftr%C3%A4ge",
        "https://a/auftr%c3%a4ge, https://a/aufträge",
        "https://a/a%2Fb, https://a/a%2fb",
        "https://a/a%20b, https://a/a b",
        "https://a/a%b, https://a/a%b",
        "https://a/**/items, https://a/1/2/items",
        "https://a/**, https://a/\uD83D",
    })
    void matches(String pattern, String url) {
        assertThat(HttpPattern.parse(pattern).matches(url)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "https://*.internal/**, https://evil.com/x.internal/",
        "https://*.internal/**, https://evil.com?x.internal/",
        "https://*.internal/**, https://evil.com#x.internal/",
        "https://*.internal/**, https://evil.com:80/x.internal/",
        "https://*.internal/**, https://x.internal@evil.com/",
        "https://*.internal/**, https://x.internal:443@evil.com/",
        "https://*.internal/**, https://internal/",
        "https://*.internal/**, https://x.internal.evil.com/",
        "https://stock.internal/**, https://stock.internal:8443/a",
        "https://stock.internal/**, http://stock.internal/a",
        "https://stock.internal/**, http://stock.internal:443/a",
        "https://stock.internal:*/**, http://stock.internal:443/a",
        "*://stock.internal/**, http://stock.internal:443/a",
        "*://stock.internal/**, https://stock.internal:80/a",
        "*://stock.internal/**, https://stock.internal:8443/a",
        "https://stock.internal:8443/**, https://stock.internal/a",
        "https://stock.internal/**, https://stock.internal:99999/a",
        "https://stock.internal/**, https://stock.internal:44x/a",
        "https://stock.internal/**, https://stock.internal:-443/a",
        "https://stock.internal/**, https://stock.internal../a",
        "https://stock.internal/**, ftp://stock.internal/a",
        "https://stock.internal/**, stock.internal/a",
        "https://stock.internal/**, ''",
        "https://stock.internal/**, https://",
        "https://stock.internal/**, https:///a",
        "https://*/**, https://[::x]/a",
        "https://*/**, https://[::1/a",
        "https://localhost/**, https://127.0.0.1/a",
        "https://a/stock/**, https://a/stocks/1",
        "https://a/stock/**, https://a/stock/../other",
        "https://a/stock/**, https://a/stock/%2e%2e/other",
        "https://a/stock/**, https://a/Stock/1",
        "https://a/stock/*, https://a/stock/1/2",
        "https://a/stock/*, https://a/stock",
        "https://a/stock, https://a/stock/1",
        "https://a/a/b, https://a/a%2fb",
        "https://a/%2A, https://a/b",
    })
    void doesNotMatch(String pattern, String url) {
        assertThat(HttpPattern.parse(pattern).matches(url)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "*://*:*/**, https://a/b",
        "*://*:*/**, *://a:7/b",
        "*://a/**, https://a:443/b",
        "*://a/**, *://a/b",
        "https://*.internal/**, https://*.stock.internal/a/*",
        "https://a/b/**, https://a/b",
        "https://a/b, https://a/b/",
        "https://a:443/**, https://A./",
    })
    void covers(String wide, String narrow) {
        assertThat(HttpPattern.parse(wide).covers(HttpPattern.parse(narrow))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "https://a/**, *://a/b",
        "https://a/**, https://a:*/b",
        "*://a/**, https://a:8443/b",
        "*://a/**, http://a:443/b",
        "*://a:443/**, *://a/b",
        "https://a.internal/**, https://*.internal/**",
        "https://a/b/*, https://a/b/**",
        "https://a/b/*, https://a/b",
    })
    void doesNotCover(String one, String other) {
        assertThat(HttpPattern.parse(one).covers(HttpPattern.parse(other))).isFalse();
    }

    /** What covers another matches all that the other does: on patterns and URLs of few letters. */
    @Test
    void whatIsCoveredIsMatched() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        List<HttpPattern> patterns = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            patterns.add(
                    HttpPattern.parse(pick(random, "http", "https", "*") + "://" + pick(random, "a", "*", "a*", "ab")
                            + pick(random, "", ":443", ":80", ":*")
                            + pick(random, "/", "/**", "/a", "/a/*", "/a/**", "/*", "/*/b", "/a/", "/a**")));
        }
        int covered = 0;
        for (HttpPattern wide : patterns) {
            for (HttpPattern narrow : patterns) {
                if (wide.covers(narrow)) {
                    covered++;
                    for (int i = 0; i < 5; i++) {
                        String url = pick(random, "http", "https") + "://" + pick(random, "a", "ab", "b", "aab")
                                + pick(random, "", ":443", ":80", ":7")
                                + pick(random, "", "/", "/a", "/a/", "/a/b", "/a/b/", "/b", "/ab/b", "/a/b/b");
                        assertThat(!narrow.matches(url) || wide.matches(url))
                                .as("seed %d: %s covers %s, %s", seed, wide, narrow, url)
                                .isTrue();
                    }
                }
            }
        }
        assertThat(covered).isGreaterThan(1000);
    }

    private static String pick(Random random, String... of) {
        return of[random.nextInt(of.length)];
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0000",
                "\uFFFF\uFFFE",
                "://",
                "https://[",
                "https://]:",
                "https://@",
                "https://:443/",
                "https://a:b:c/",
                "https://%/%%%",
                "https://..",
                "https://\uD83D/",
                "https://a/%",
                "https://a/%4",
                "https://a/;"
            })
    void whateverIsSentIsCompared(String url) {
        HttpPattern.parse("*://*:*/a").matches(url);
    }

    /** It is on the path of every request under a lease. */
    @Test
    void matchingTakesLittleTimeWhateverIsSent() {
        HttpPattern pattern = HttpPattern.parse("https://*-a-*-b.internal/**a**b**c*d/*" + "/*a".repeat(100));
        String url = "https://" + "-a".repeat(4000) + "-b.internal/" + "a/".repeat(4000);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = System.nanoTime();
            assertThat(pattern.matches(url)).isFalse();
            least = Math.min(least, System.nanoTime() - before);
        }

        assertThat(Duration.ofNanos(least)).isLessThan(Duration.ofMillis(200));
    }
}
