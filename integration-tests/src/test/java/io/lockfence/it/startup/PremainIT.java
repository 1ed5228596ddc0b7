/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The agent gets in before main, quickly and quietly, and leaves nothing behind. */
class PremainIT {
    private static final Pattern STATUS =
            Pattern.compile("lockfence: \\S+( \\S+)?: (active|INACTIVE|no fencing tokens).*");

    @TempDir
    Path folder;

    static Stream<Jdk> jdks() {
        return Startup.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void oneLineAtTheStartAndASummaryAtTheEnd(Jdk jdk) throws Exception {
        List<String> lines = Startup.run(Startup.probe(jdk).folder(folder));

        assertThat(lines.stream()
                        .filter(line -> !STATUS.matcher(line).matches() && !line.contains("warning: Sharing is only")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches(
                                        "lockfence: \\d+\\.\\d+\\.\\d+\\S*, mode observe, rules: .+ \\(\\d+ lock rules?, \\d+ targets?\\); each"
                                                + " library is reported when its classes are first loaded"),
                        line -> assertThat(line).isEqualTo("main begins"),
                        line -> assertThat(line).isEqualTo("main ends"),
                        line -> assertThat(line).matches("lockfence: summary of .*, mode observe, rules: .*"),
                        line -> assertThat(line)
                                .isEqualTo("lockfence:   locks        none was taken that the rules name"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void nothingIsLoadedThatServicesConfigureInMain(Jdk jdk) throws Exception {
        Path log = folder.resolve("classes.log");

        Startup.run(Startup.probe(jdk).folder(folder).jvm("-Xlog:class+load:file=" + log), "settle");

        List<String> beforeMain = loaded(log, Probe.class.getName());
        assertThat(beforeMain).contains("io.lockfence.agent.Agent").noneMatch(PremainIT::isTheServicesToStart);
    }

    private static boolean isTheServicesToStart(String name) {
        return Stream.of(
                        "java.util.logging.",
                        "javax.management.",
                        "java.lang.management.",
                        "jdk.jfr.",
                        "sun.misc.Unsafe")
                .anyMatch(name::startsWith);
    }

    private static List<String> loaded(Path log, String until) throws IOException {
        Pattern pattern = Pattern.compile("] (\\S+) source:");
        return Files.readAllLines(log).stream()
                .map(pattern::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .takeWhile(name -> !name.equals(until))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void noFileIsLeftBehind(Jdk jdk) throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path work = Files.createDirectory(folder.resolve("work"));

        Startup.run(Startup.probe(jdk).folder(work).jvm("-Djava.io.tmpdir=" + temporary), "settle");

        assertThat(temporary).isEmptyDirectory();
        assertThat(work).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void nothingOfOursIsVisibleToTheService(Jdk jdk) throws Exception {
        String[] ours = {
            "net.bytebuddy.ByteBuddy",
            "com.zaxxer.hikari.HikariDataSource",
            "org.slf4j.LoggerFactory",
            "org.snakeyaml.engine.v2.api.Load",
            "picocli.CommandLine",
            "io.lockfence.agent.Agent",
            "io.lockfence.agent.report.Report",
            "io.lockfence.instrumentation.Library",
            "io.lockfence.relocated.bytebuddy.ByteBuddy",
        };
        String[] resources = {
            "META-INF/services/org.slf4j.spi.SLF4JServiceProvider", "META-INF/services/java.sql.Driver"
        };

        List<String> lines = Startup.run(
                Startup.probe(jdk).folder(folder),
                Stream.concat(
                                Stream.of(ours).map(name -> "look=" + name),
                                Stream.of(resources).map(name -> "resource=" + name))
                        .toArray(String[]::new));

        assertThat(lines.stream().filter(line -> line.endsWith(" is invisible")))
                .hasSize(3 * ours.length);
        assertThat(lines.stream().filter(line -> line.endsWith(" is absent"))).hasSize(resources.length);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void noThreadOfOursKnowsTheServicesLoaderOrKeepsTheJvmAlive(Jdk jdk) throws Exception {
        List<String> lines = Startup.run(Startup.probe(jdk).folder(folder), "threads");

        assertThat(lines.stream().filter(line -> line.startsWith("thread lockfence")))
                .allMatch(line -> line.endsWith(", daemon true, context loader null"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void settingsThatTheServiceMakesForItsOwnLibrariesDoNotSteerOurs(Jdk jdk) throws Exception {
        Path dump = Files.createDirectory(folder.resolve("dump"));

        List<String> lines = Startup.run(
                Startup.probe(jdk)
                        .folder(folder)
                        .jvm(
                                "-Dslf4j.provider=com.example.Absent",
                                "-Dslf4j.internal.verbosity=DEBUG",
                                "-Dhikaricp.configurationFile=/absent/hikari.properties",
                                "-Dcom.zaxxer.hikari.useWeakReferences=true",
                                "-Dnet.bytebuddy.dump=" + dump,
                                "-Dnet.bytebuddy.nexus.disabled=false",
                                "-Dpicocli.trace=DEBUG"),
                "settle");

        assertThat(dump).isEmptyDirectory();
        assertThat(lines)
                .allMatch(line -> line.startsWith("lockfence: ")
                        || line.startsWith("main ")
                        || line.contains("warning: Sharing is only supported"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void theLogGoesToAFileIfAskedAndTheServicesStandardErrorStaysClean(Jdk jdk) throws Exception {
        Path log = folder.resolve("lockfence.log");

        List<String> lines = Startup.run(Startup.probe(jdk).folder(folder).jvm("-Dlockfence.log=" + log));

        assertThat(lines.stream().filter(line -> line.startsWith("lockfence: ")))
                .isEmpty();
        assertThat(Files.readAllLines(log))
                .anyMatch(line -> line.contains("mode observe"))
                .anyMatch(line -> line.startsWith("lockfence: summary of "));
    }
}
