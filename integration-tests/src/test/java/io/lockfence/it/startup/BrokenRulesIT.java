/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A service whose rules are broken starts all the same, and says what is wrong. */
class BrokenRulesIT {
    private static final String LOCK = "locks:\n  - name: orders\n    library: redisson\n    key: \"order:{id}\"\n";

    @TempDir
    Path folder;

    static Stream<Arguments> broken() {
        return Stream.of(
                Arguments.of("empty", bytes(""), "empty"),
                Arguments.of("binary", new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 1}, "UTF-8"),
                Arguments.of("no YAML", bytes("mode: [observe\n"), ":\\d+:\\d+: "),
                Arguments.of("wrong type", bytes("mode: enforce\nlocks: 7\n"), ":2:8: .*locks"),
                Arguments.of("misspelt", bytes("mode: enforce\nlokcs: []\n"), ":2:1: .*'lokcs'.*'locks'"),
                Arguments.of("misspelt value", bytes("mode: enforec\n"), ":1:7: .*'enforec'.*enforce"),
                Arguments.of("duplicate key", bytes("mode: enforce\nmode: observe\n"), ":2:1: .*mode"),
                Arguments.of(
                        "duplicate lock",
                        bytes("mode: enforce\n" + LOCK + LOCK.substring("locks:\n".length())),
                        ":6:.*orders"),
                Arguments.of(
                        "contradiction", bytes("mode: enforce\n" + LOCK + "    protects: [absent]\n"), ":6:.*absent"),
                Arguments.of(
                        "not yet",
                        bytes("mode: enforce\ntargets:\n  - {name: m, jdbc: \"jdbc:mysql://*/x\"}\n"),
                        ":3:.*jdbc:mysql.*not supported by this version"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void theServiceStartsAndReadsWhatToMend(String kind, byte[] content, String complaint) throws Exception {
        Path rules = Files.write(folder.resolve("lockfence.yaml"), content);

        starts(Startup.probe(Jdk.oldest()).folder(folder), complaint, rules.toString());
    }

    @Test
    void aMissingFileThatIsNamedIsAMistake() throws Exception {
        String missing = folder.resolve("absent.yaml").toString();

        starts(Startup.probe(Jdk.oldest()).jvm("-Dlockfence.config=" + missing), "does not exist", missing);
    }

    @Test
    void aFolderIsNoRulesFile() throws Exception {
        starts(
                Startup.probe(Jdk.newest()).environment(java.util.Map.of("LOCKFENCE_CONFIG", folder.toString())),
                "directory",
                folder.toString());
    }

    @Test
    void anArgumentOfTheAgentIsNotGuessed() throws Exception {
        ServiceProcess.Builder probe = ServiceProcess.builder("probe")
                .folder(folder)
                .jvm("-javaagent:" + Build.agentJar() + "=confg=lockfence.yaml");

        starts(probe, "'confg'.*config", "-javaagent");
    }

    @Test
    void strictStopsTheJvmBeforeMain() throws Exception {
        Files.writeString(folder.resolve("lockfence.yaml"), "strict: true\nmode: enforec\n");
        try (ServiceProcess process = Startup.probe(Jdk.newest())
                .folder(folder)
                .main(Startup.testClasses(), Probe.class.getName())
                .start()) {
            int exit = process.awaitExit(Startup.LIMIT);

            assertThat(exit).as(process.output()).isNotZero();
            assertThat(process.lines()).noneMatch(line -> line.equals("main begins"));
            assertThat(process.said("lockfence: .*'enforec'"))
                    .as(process.output())
                    .isTrue();
        }
    }

    private static void starts(ServiceProcess.Builder probe, String complaint, String where) throws Exception {
        List<String> lines = Startup.run(probe);

        assertThat(lines).contains("main begins", "main ends");
        assertThat(lines)
                .as("what is wrong, and where")
                .anyMatch(line -> line.startsWith("lockfence: ")
                        && java.util.regex.Pattern.compile(complaint)
                                .matcher(line)
                                .find())
                .anyMatch(line ->
                        line.startsWith("lockfence: ") && line.contains("NOTHING IS FENCED") && line.contains(where));
        assertThat(lines).noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
