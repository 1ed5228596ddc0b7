/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
    @TempDir
    Path directory;

    @Test
    void oneLineIsOneWrite() {
        List<String> writes = new ArrayList<>();
        Log log = new Log(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new AssertionError("single byte");
                    }

                    @Override
                    public void write(byte[] bytes) {
                        writes.add(new String(bytes, StandardCharsets.UTF_8));
                    }
                },
                StandardCharsets.UTF_8);

        log.line("a\nb");
        log.lines(List.of("c", "d"));

        String end = System.lineSeparator();
        assertThat(writes).containsExactly("lockfence: a\\u000ab" + end, "lockfence: c" + end + "lockfence: d" + end);
    }

    @Test
    void neverThrows() {
        Log log = new Log(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("closed");
                    }
                },
                StandardCharsets.UTF_8);

        log.line("a");

        assertThat(log).isNotNull();
    }

    @Test
    void aPathIsAppendedTo() throws IOException {
        Path file = directory.resolve("lockfence.log");
        Files.writeString(file, "before\n");

        Log.to(file.toString()).line("a");
        Log.to(file.toString()).line("b");

        assertThat(Files.readAllLines(file)).containsExactly("before", "lockfence: a", "lockfence: b");
    }

    @Test
    void quietWritesNothingAnywhere() throws IOException {
        Log.to("quiet").line("a");

        assertThat(Path.of("quiet")).doesNotExist();
    }

    @Test
    void linesOfManyThreadsStayWhole() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Log log = new Log(out, StandardCharsets.UTF_8);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            String text = String.valueOf(i).repeat(200);
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 200; j++) {
                    log.line(text);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(1600)
                .allMatch(line -> line.matches("lockfence: (\\d)\\1{199}"));
    }
}
