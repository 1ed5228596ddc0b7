/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnreadableRulesFilesTest {
    @TempDir
    Path directory;

    @Test
    void aMissingFileIsNamedInFull() {
        File missing = new File("no/such/lockfence.yaml");

        assertThat(said(missing))
                .isEqualTo(
                        "no/such/lockfence.yaml: the file does not exist, or its directory cannot be read; looked for "
                                + missing.getAbsolutePath());
    }

    @Test
    void aDirectoryIsNoRulesFile() {
        assertThat(said(directory.toFile())).isEqualTo(directory + ": this is a directory; name the file in it");
    }

    @Test
    void aPipeIsNotWaitedFor() throws Exception {
        Path pipe = directory.resolve("pipe.yaml");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertThat(said(pipe.toFile())).isEqualTo(pipe + ": this is a pipe or a device; expected a regular file");
    }

    @Test
    void aFileThatCannotBeReadSaysWhy() {
        // Root may read every file; the memory of this process at address 0 nobody can.
        assertThat(said(new File("/proc/self/mem")))
                .startsWith("/proc/self/mem: the file cannot be read: ")
                .endsWith("; let the user of this process read it");
    }

    @Test
    void aLargeFileIsNotRead() throws IOException {
        Path large = directory.resolve("large.yaml");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(10L << 30);
        }

        assertThat(said(large.toFile()))
                .isEqualTo(large
                        + ": the file has more than 1 MiB; a rules file has a few kilobytes; is this the right file?");
    }

    @Test
    void aFileOfTheLargestSizeIsRead() throws Exception {
        String rules = "mode: enforce\n";
        String largest = rules + "#\n".repeat(((1 << 20) - rules.length()) / 2);

        assertThat(RulesLoader.load(file(largest.getBytes(StandardCharsets.UTF_8)))
                        .mode())
                .isEqualTo(Mode.ENFORCE);
        assertThat(said(file((largest + "#").getBytes(StandardCharsets.UTF_8)))).contains("more than 1 MiB");
    }

    @Test
    void binariesAreNotRules() throws IOException {
        File binary = file(new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 61});

        assertThat(said(binary))
                .isEqualTo(
                        binary
                                + ":1:1: a byte that is not UTF-8 (0xca); a rules file is text in UTF-8; is this the right file?");
    }

    @Test
    void controlCharactersAreNotRules() throws IOException {
        File file = file("mode: enforce\nlo\u0000cks:\n".getBytes(StandardCharsets.UTF_8));

        assertThat(said(file))
                .isEqualTo(
                        file
                                + ":2:3: a character that YAML does not allow (U+0000); a rules file is text in UTF-8; is this the right file?");
    }

    @Test
    void otherEncodingsAreNamed() throws IOException {
        File latin = file("mode: enforce\n# für\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(said(latin)).startsWith(latin + ":2:4: a byte that is not UTF-8 (0xfc)");
        for (String encoding : new String[] {"UTF-16LE", "UTF-16BE"}) {
            File wide = file("\uFEFFmode: enforce\n".getBytes(Charset.forName(encoding)));
            assertThat(said(wide)).isEqualTo(wide + ": the file is text in UTF-16; save it as UTF-8");
        }
    }

    @Test
    void aTruncatedCharacterIsNotUtf8() throws IOException {
        File file = file(new byte[] {'a', ':', ' ', (byte) 0xE2, (byte) 0x82});

        assertThat(said(file)).startsWith(file + ":1:4: a byte that is not UTF-8 (0xe2)");
    }

    @Test
    void windowsTextIsRead() throws Exception {
        Rules rules = RulesLoader.load(file("\uFEFFmode: shadow\r\nstrict: true\r\n".getBytes(StandardCharsets.UTF_8)));

        assertThat(rules.mode()).isEqualTo(Mode.SHADOW);
        assertThat(rules.strict()).isTrue();
    }

    @Test
    void hostileFilesEndInTime() {
        String deep = "[\n".repeat(500_000);
        String wide = "locks: [" + "{name: a},\n".repeat(90_000) + "]";
        String manyKeys = "k: v\n".repeat(200_000);
        String longLines = ("a".repeat(49_000) + ": x\n").repeat(20);
        String longLine = "a".repeat(1_000_000) + ": x";
        String manyWords = "a: x\n" + "  word\n".repeat(140_000);
        String aliases = "a: &a [x]\nb: [\n" + "*a,\n".repeat(200_000) + "]";
        StringBuilder manyLocks = new StringBuilder("locks:\n");
        for (int i = 0; i < 999; i++) {
            manyLocks.append("- {name: l").append(i).append(", library: redisson, key: '");
            manyLocks.append("a{x}").append("a".repeat(900)).append(i).append("'}\n");
        }
        StringBuilder manyTargets = new StringBuilder("targets:\n");
        for (int i = 0; i < 50; i++) {
            manyTargets.append("- {name: t").append(i).append(", jdbc: 'jdbc:postgresql:");
            manyTargets.append("*a".repeat(235)).append(i).append("'}\n");
        }
        for (String text : new String[] {
            deep,
            "a: " + deep,
            wide,
            manyKeys,
            longLines,
            longLine,
            manyWords,
            aliases,
            manyLocks.toString(),
            manyTargets.toString()
        }) {
            long start = System.nanoTime();
            try {
                RulesLoader.parse(text, "hostile.yaml");
            } catch (RulesException e) {
                assertThat(e.problems()).hasSizeLessThanOrEqualTo(101);
                assertThat(e.getMessage().length()).isLessThan(40_000);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("time for %s…", text.substring(0, 30))
                    .isLessThan(Duration.ofSeconds(20));
        }
    }

    private File file(byte[] bytes) throws IOException {
        Path file = directory.resolve("lockfence.yaml");
        Files.write(file, bytes);
        return file.toFile();
    }

    private static String said(File file) {
        RulesException refused = catchThrowableOfType(RulesException.class, () -> RulesLoader.load(file));
        assertThat(refused.problems()).hasSize(1);
        return refused.getMessage();
    }
}
