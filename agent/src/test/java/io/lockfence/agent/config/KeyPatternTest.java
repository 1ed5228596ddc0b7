/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyPatternTest {
    @ParameterizedTest
    @CsvSource({
        "order:{id}, orders/{id}, order:42, orders/42",
        "order:{id}, orders/{id}, order:, orders/",
        "order:{id}, orders/{id}, order:a:b, orders/a:b",
        "{a}:{b}, {b}/{a}, x:y:z, y:z/x",
        "{a}:{b}:{c}, {a}/{b}/{c}, x:y:z:w, x/y/z:w",
        "{a}-lock, r/{a}, a-lock-lock, r/a-lock",
        "{{order}}:{id}, '{{{id}}}', '{order}:7', '{7}'",
        "settlement, s, settlement, s",
        "{x}, {x}, anything at all, anything at all",
        "a{x}a, r{x}, aa, r",
        "a{x}b{y}b, {x}|{y}, abb, |",
        "a{x}b{y}b, {x}|{y}, a1b2b3b, 1|2b3",
    })
    void capturesGoIntoTheResource(String key, String resource, String lock, String expected) {
        assertThat(ResourceTemplate.parse(resource, KeyPattern.parse(key)).resource(lock))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "order:{id}, Order:1",
        "order:{id}, order",
        "order:{id}, xorder:1",
        "{id}-lock, a-lock2",
        "settlement, settlement2",
        "settlement, ''",
        "a{x}a, a",
        "a{x}b{y}c, ac",
        "a{x}b{y}b, ab",
    })
    void otherNamesDoNotMatch(String key, String lock) {
        assertThat(KeyPattern.parse(key).matches(lock)).isFalse();
        assertThat(ResourceTemplate.lockName(KeyPattern.parse(key)).resource(lock))
                .isNull();
    }

    @Test
    void aStarMatchesAnything() {
        KeyPattern every = KeyPattern.parse("*");

        assertThat(every.matches("")).isTrue();
        assertThat(every.matches("line\nbreak")).isTrue();
        assertThat(every.matches("x".repeat(10_000))).isTrue();
        assertThat(ResourceTemplate.lockName(every).resource("a/b")).isEqualTo("a/b");
    }

    @Test
    void aNameOfAnyLengthBecomesAResource() {
        ResourceTemplate template = ResourceTemplate.parse("orders/{id}", KeyPattern.parse("order:{id}"));

        assertThat(template.resource("order:" + "x".repeat(10_000))).isEqualTo("orders/" + "x".repeat(10_000));
    }

    @Test
    void matchesAsTheSameRegularExpressionWould() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String key = random(random, 6, "ab**");
            if (key.isEmpty() || key.contains("**")) {
                continue;
            }
            String name = random(random, 10, "abc");
            Matcher matcher = Pattern.compile(key.replace("*", "(.*?)")).matcher(name);

            String[] matched = KeyPattern.parse(key).match(name);

            String at = "seed " + seed + ", key " + key + ", name " + name;
            assertThat(matched != null).as(at).isEqualTo(matcher.matches());
            if (matched != null) {
                List<String> groups = new ArrayList<>();
                for (int group = 1; group <= matcher.groupCount(); group++) {
                    groups.add(matcher.group(group));
                }
                assertThat(matched).as(at).containsExactlyElementsOf(groups);
            }
        }
    }

    @Test
    void aPatternThatCoversAnotherMatchesAllOfItsNames() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int covered = 0;
        for (int i = 0; i < 20_000; i++) {
            String wide = random(random, 4, "ab**");
            String narrow = random(random, 6, "ab*");
            if (wide.isEmpty() || narrow.isEmpty() || wide.contains("**") || narrow.contains("**")) {
                continue;
            }
            KeyPattern cover = KeyPattern.parse(wide);
            if (cover.covers(KeyPattern.parse(narrow))) {
                covered++;
                String name = narrow.replace("*", random(random, 3, "abc"));
                assertThat(cover.matches(name))
                        .as("seed %d: %s covers %s, but not its name %s", seed, wide, narrow, name)
                        .isTrue();
            } else {
                // What it does not cover has a name that it does not match: one with a letter that stands in neither.
                assertThat(cover.matches(narrow.replace("*", "z"))).isFalse();
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
