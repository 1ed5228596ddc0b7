/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whatever comes, it is a list of leases or malformed, quickly. {@code -Dlockfence.fuzz.seed=N} repeats a run. */
class FencingTokenFuzzTest {
    private static final long SEED = Long.getLong("lockfence.fuzz.seed", System.nanoTime());
    private static final Duration TIME = Duration.ofSeconds(3);
    private static final String SYNTAX = "\";=,:()%?@*-.\\ \t01aZ/+_";

    private final Random random = new Random(SEED);

    @Test
    void everyInputIsAListOfLeasesOrMalformed() {
        int read = 0;
        int malformed = 0;
        long end = System.nanoTime() + TIME.toNanos();
        while (System.nanoTime() < end) {
            List<String> lines = lines();
            try {
                List<FencingToken> tokens = FencingToken.parse(lines);
                assertThat(FencingToken.parse(List.of(FencingToken.write(tokens))))
                        .as("seed %d: %s", SEED, lines)
                        .isEqualTo(tokens);
                Set<String> resources = new HashSet<>();
                tokens.forEach(token -> resources.add(token.resource()));
                assertThat(resources).as("seed %d: %s", SEED, lines).hasSameSizeAs(tokens);
                read++;
            } catch (MalformedHeaderException e) {
                assertThat(e.getMessage()).hasSizeLessThan(250).matches("[ -~]*");
                malformed++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + SEED + ": " + lines, e);
            }
        }
        assertThat(read).as("seed %d", SEED).isGreaterThan(500);
        assertThat(malformed).as("seed %d", SEED).isGreaterThan(500);
    }

    private List<String> lines() {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return List.of(noise("", random.nextInt(200)));
        }
        String field = FencingToken.write(tokens());
        if (kind <= 3) {
            int cut = field.isEmpty() ? 0 : random.nextInt(field.length());
            return kind == 1 ? List.of(field) : List.of(field.substring(0, cut), field.substring(cut));
        }
        StringBuilder mutated = new StringBuilder(field);
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int at = random.nextInt(mutated.length() + 1);
            int to = Math.min(mutated.length(), at + random.nextInt(4));
            int from = random.nextInt(mutated.length() + 1);
            switch (random.nextInt(4)) {
                case 0 -> mutated.delete(at, to);
                case 1 -> mutated.insert(at, noise(SYNTAX, 1 + random.nextInt(3)));
                case 2 -> mutated.replace(at, to, noise("", 1));
                default -> mutated.insert(at, mutated.substring(Math.min(at, from), Math.max(at, from)));
            }
        }
        return List.of(mutated.toString());
    }

    private List<FencingToken> tokens() {
        List<FencingToken> tokens = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            byte[] signature = new byte[1 + random.nextInt(64)];
            random.nextBytes(signature);
            tokens.add(new FencingToken(
                    i + name(),
                    name(),
                    1 + random.nextLong(Long.MAX_VALUE),
                    random.nextInt(Integer.MAX_VALUE),
                    Long.toHexString(random.nextLong()) + "-" + i,
                    random.nextBoolean() ? Bytes.of(signature) : null));
        }
        return tokens;
    }

    private String name() {
        String name = random.nextBoolean() ? noise(SYNTAX, 1 + random.nextInt(20)) : noise("", 1 + random.nextInt(20));
        return name.replaceAll("[\\ud800-\\udfff]", "x");
    }

    private String noise(String of, int length) {
        StringBuilder noise = new StringBuilder();
        for (int i = 0; i < length; i++) {
            int kind = random.nextInt(20);
            noise.append(
                    !of.isEmpty()
                            ? of.charAt(random.nextInt(of.length()))
                            : (char)
                                    (kind == 0
                                            ? random.nextInt(0x10000)
                                            : kind < 4 ? random.nextInt(0x100) : ' ' + random.nextInt(95)));
        }
        return noise.toString();
    }

    @Test
    void theLongestAndOddestFieldsTakeNoTime() {
        List<String> odd = List.of(
                "\"".repeat(8192),
                "(".repeat(8192),
                "( ".repeat(4096),
                "()".repeat(4096),
                "(),".repeat(2730),
                "a,".repeat(4096),
                "a;".repeat(4096),
                "a" + ";a".repeat(4095),
                "a" + ";a=%\"\"".repeat(1365),
                "a" + ";a=::".repeat(1638),
                "%\"" + "%c3".repeat(2730),
                "%\"" + "%c3%bc".repeat(1360) + "\"",
                "\"" + "\\\\".repeat(4095) + "\"",
                " ".repeat(8192),
                "a" + "\t".repeat(8191),
                "a; " + " ".repeat(8189),
                ":" + "A".repeat(8190) + ":",
                "1".repeat(8192),
                "-".repeat(8192),
                "\u0000".repeat(8192),
                "\uffff".repeat(8192),
                parameters());
        // The same work in the first round is done by the interpreter, and in the last by compiled code.
        long slowest = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long before = System.nanoTime();
            for (String field : odd) {
                try {
                    FencingToken.parse(List.of(field));
                } catch (MalformedHeaderException e) {
                    assertThat(e.getMessage()).hasSizeLessThan(250);
                }
            }
            slowest = Math.min(slowest, System.nanoTime() - before);
        }

        assertThat(Duration.ofNanos(slowest)).isLessThan(Duration.ofMillis(100));
    }

    /** As many names as fit, all different. */
    private static String parameters() {
        StringBuilder field = new StringBuilder("a");
        for (int i = 0; field.length() < 8180; i++) {
            field.append(";p").append(Integer.toString(i, 36));
        }
        return field.toString();
    }

    @Test
    void aFieldBeyondTheBoundIsRefusedBeforeItIsRead() {
        List<String> lines = List.of("\"" + "a".repeat(20_000_000) + "\"");
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long before = System.nanoTime();
            try {
                FencingToken.parse(lines);
                throw new AssertionError("a field of 20 MB passed");
            } catch (MalformedHeaderException e) {
                assertThat(e.getMessage()).contains("8192");
            }
            least = Math.min(least, System.nanoTime() - before);
        }

        assertThat(Duration.ofNanos(least)).isLessThan(Duration.ofMillis(5));
    }
}
