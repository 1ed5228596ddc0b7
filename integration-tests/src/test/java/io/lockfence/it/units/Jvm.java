/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A JDK, and programs of the tests run in a JVM of it with the agent jar.
 *
 * @param feature such as 17
 * @param home of the JDK
 */
record Jvm(int feature, Path home) {
    /** What a program printed, and how it ended. */
    record Run(String command, String output, int exitCode) {
        /** The lines that begin with a word, without it. */
        List<String> lines(String word) {
            return output.lines()
                    .filter(line -> line.startsWith(word + " "))
                    .map(line -> line.substring(word.length() + 1))
                    .toList();
        }

        @Override
        public String toString() {
            return command + "\n" + output + "exit code " + exitCode;
        }
    }

    /**
     * This JVM's JDK, and a 25 where there is one: named by {@code JDK25_HOME}, or beside this one.
     */
    static List<Jvm> all() {
        Jvm own = new Jvm(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
        List<Jvm> jvms = new ArrayList<>(List.of(own));
        if (own.feature() < 25) {
            newest(own).ifPresent(jvms::add);
        }
        return jvms;
    }

    private static Optional<Jvm> newest(Jvm own) {
        String named = System.getenv("JDK25_HOME");
        if (named != null) {
            return Optional.of(new Jvm(25, Path.of(named)));
        }
        try (Stream<Path> beside = Files.list(own.home().toRealPath().getParent())) {
            return beside.filter(Jvm::is25).sorted().findFirst().map(home -> new Jvm(25, home));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean is25(Path home) {
        Path release = home.resolve("release");
        try {
            return Files.isExecutable(home.resolve("bin/java"))
                    && Files.isRegularFile(release)
                    && Files.readString(release).contains("JAVA_VERSION=\"25");
        } catch (IOException e) {
            return false;
        }
    }

    /** Runs a class of the tests under the agent until it ends by itself. */
    Run run(Class<?> main, String classPath, String... arguments) throws IOException, InterruptedException {
        Path agent = Path.of(System.getProperty("user.dir")).resolve("../agent/target/lockfence.jar").normalize();
        Path output = Files.createTempFile("lockfence-units", ".log");
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/java").toString(), "-Xmx256m", "-javaagent:" + agent, "-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                return new Run(String.join(" ", command), read(output) + "(ended after 120 s)\n", -1);
            }
            return new Run(String.join(" ", command), read(output), process.exitValue());
        } finally {
            Files.delete(output);
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "JDK " + feature;
    }
}
