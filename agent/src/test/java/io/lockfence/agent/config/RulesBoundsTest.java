/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a file holds, reading it takes little memory and time: in a JVM with 32 MB of heap and a quarter of the usual stack. */
class RulesBoundsTest {
    private static final String HEAP = "-Xmx32m";

    private static final int MOST_MILLIS = 15_000;

    @TempDir
    Path directory;

    @Test
    void hostileFilesAreReadOrRefusedInLittleMemoryAndTime() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        HostileFiles.write(files);

        List<String> lines = run(HostileFiles.class, files.toString());

        assertThat(lines).hasSizeGreaterThan(40).allSatisfy(line -> {
            assertThat(line).containsPattern(": (read|refused), \\d+$");
            assertThat(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1)))
                    .as(line)
                    .isLessThan(MOST_MILLIS);
        });
        assertThat(lines).filteredOn(line -> line.contains(": read")).isNotEmpty();
    }

    /** The same files as {@link RulesFuzzTest}, without room for anything that grows. */
    @Test
    void mutatedFilesAreReadOrRefusedInLittleMemory() throws Exception {
        List<String> lines = run(FuzzedFiles.class, Long.toString(Long.getLong("seed", System.nanoTime())), "5");

        assertThat(lines).last().asString().matches("seed -?\\d+: \\d{3,} files, of which [1-9]\\d* are rules");
    }

    private List<String> run(Class<?> main, String... arguments) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-Xss256k",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            boolean ended = process.waitFor(300, TimeUnit.SECONDS);
            String said = Files.readString(out);
            assertThat(ended).as("hangs, after:%n%s", said).isTrue();
            assertThat(process.exitValue())
                    .as("exit of the JVM; it said:%n%s", said)
                    .isZero();
            return said.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
