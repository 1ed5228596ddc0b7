/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that nobody would write: whatever they hold, they are read or refused, soon. {@code -Dseed=N} repeats a run. */
class RulesFuzzTest {
    private static final Duration TIME = Duration.ofSeconds(8);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String[] PIECES = {
        "mode: ",
        "enforce",
        "locks:",
        "targets:",
        "- ",
        "name: ",
        "key: ",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "*",
        "&a ",
        "*a",
        ": ",
        "\n",
        "\n  ",
        "\t",
        "#",
        "!",
        "|\n",
        ">-\n",
        "? ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<: ",
        "\\",
        "\u0000",
        "\uFFFF",
        "🔒",
        "\r\n",
        "protects: ",
        "resource: ",
        "{id}",
        "{{",
        "}}",
        "10s",
        "-1",
        "1e9",
        "~",
        "true",
        "jdbc: ",
        "jdbc:postgresql://*/x",
        "strict: true"
    };

    @Test
    void everyFileIsReadOrRefusedSoon(@TempDir Path directory) throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("RulesFuzzTest: seed " + seed);
        Random random = new Random(seed);
        List<byte[]> files = corpus();
        Path file = directory.resolve("fuzz.yaml");
        long end = System.nanoTime() + TIME.toNanos();
        int runs = 0;
        int good = 0;
        while (System.nanoTime() < end) {
            byte[] bytes = mutated(files.get(random.nextInt(files.size())), random);
            Files.write(file, bytes);
            long start = System.nanoTime();
            try {
                RulesLoader.load(file.toFile());
                good++;
            } catch (RulesException refused) {
                assertThat(refused.problems()).isNotEmpty();
                assertThat(refused.lines()).allSatisfy(line -> assertThat(line).doesNotContain("\n", "\u0000"));
            } catch (Throwable crash) {
                throw new AssertionError("seed " + seed + ", run " + runs + ": " + text(bytes), crash);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("seed %d, run %d: %s", seed, runs, text(bytes))
                    .isLessThan(SOON);
            runs++;
        }
        assertThat(runs).as("runs").isGreaterThan(100);
        assertThat(good).as("files that are still rules").isPositive();
    }

    private static List<byte[]> corpus() throws IOException {
        List<byte[]> files = new ArrayList<>();
        files.add(Files.readAllBytes(Path.of("../docs/lockfence.example.yaml")));
        files.add("mode: enforce\n# rules\n".getBytes(StandardCharsets.UTF_8));
        try (Stream<Path> cases = Files.list(Path.of("src/test/resources/io/lockfence/agent/config/wrong"))) {
            for (Path path : cases.sorted().toList()) {
                files.add(Files.readAllBytes(path));
            }
        }
        return files;
    }

    private static byte[] mutated(byte[] original, Random random) {
        StringBuilder text = new StringBuilder(text(original));
        int changes = random.nextInt(6);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), at + random.nextInt(20));
            switch (random.nextInt(5)) {
                case 0 -> text.delete(at, to);
                case 1 -> text.insert(at, PIECES[random.nextInt(PIECES.length)].repeat(1 + random.nextInt(3)));
                case 2 -> text.insert(at, text.substring(at, to));
                case 3 -> text.insert(at, (char) random.nextInt(0x250));
                default -> text.replace(at, to, PIECES[random.nextInt(PIECES.length)]);
            }
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextInt(20) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
