/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** A JDK that services run on. */
public record Jdk(Path home, int feature) {
    /** The JDK that runs this JVM. */
    public static Jdk running() {
        return new Jdk(
                Path.of(System.getProperty("java.home")), Runtime.version().feature());
    }

    /**
     * A JDK of that feature release: {@code LOCKFENCE_JDK_25} and the like, this JVM's own, or one below {@code /usr/lib/jvm}.
     *
     * @return empty if the machine has none
     */
    public static Optional<Jdk> of(int feature) {
        String named = System.getenv("LOCKFENCE_JDK_" + feature);
        if (named != null) {
            return Optional.of(new Jdk(Path.of(named), feature));
        }
        if (running().feature() == feature) {
            return Optional.of(running());
        }
        Path folder = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> homes = Files.list(folder)) {
            return homes.filter(home -> Files.isExecutable(home.resolve("bin/java")))
                    .filter(home -> featureOf(home) == feature)
                    .sorted()
                    .findFirst()
                    .map(home -> new Jdk(home, feature));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The newest of 25 and 17 that the machine has, else this JVM's own. */
    public static Jdk newest() {
        return of(25).orElseGet(Jdk::running);
    }

    /** 17 if the machine has it, else this JVM's own. */
    public static Jdk oldest() {
        return of(17).orElseGet(Jdk::running);
    }

    /** Both ends of what is supported, or one JDK if the machine has no other. */
    public static List<Jdk> both() {
        return Stream.of(oldest(), newest()).distinct().toList();
    }

    public String java() {
        return home.resolve("bin/java").toString();
    }

    private static int featureOf(Path home) {
        try (Stream<String> release = Files.lines(home.resolve("release"))) {
            return release.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.substring("JAVA_VERSION=".length()).replace("\"", ""))
                    .map(version -> Runtime.Version.parse(version).feature())
                    .findFirst()
                    .filter(Objects::nonNull)
                    .orElse(0);
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return "JDK " + feature;
    }
}
