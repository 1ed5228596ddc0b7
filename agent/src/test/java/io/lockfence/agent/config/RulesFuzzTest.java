/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that nobody would write: whatever they hold, they are read or refused, soon. {@code -Dseed=N} repeats a run. */
class RulesFuzzTest {
    private static final Duration TIME = Duration.ofSeconds(8);
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void everyFileIsReadOrRefusedSoon(@TempDir Path directory) throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("RulesFuzzTest: seed " + seed);
        FuzzedFiles files = new FuzzedFiles(seed);
        Path file = directory.resolve("fuzz.yaml");
        long end = System.nanoTime() + TIME.toNanos();
        int runs = 0;
        int good = 0;
        while (System.nanoTime() < end) {
            byte[] bytes = files.next();
            Files.write(file, bytes);
            long start = System.nanoTime();
            try {
                RulesLoader.load(file.toFile());
                good++;
            } catch (RulesException refused) {
                assertThat(refused.problems()).isNotEmpty();
                assertThat(refused.lines()).allSatisfy(line -> assertThat(line).doesNotContain("\n", "\u0000"));
            } catch (Throwable crash) {
                throw new AssertionError("seed " + seed + ", run " + runs + ": " + FuzzedFiles.text(bytes), crash);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("seed %d, run %d: %s", seed, runs, FuzzedFiles.text(bytes))
                    .isLessThan(SOON);
            runs++;
        }
        assertThat(runs).as("runs").isGreaterThan(100);
        assertThat(good).as("files that are still rules").isPositive();
    }
}
