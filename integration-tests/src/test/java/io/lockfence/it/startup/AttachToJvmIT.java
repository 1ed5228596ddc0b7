/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.CommandLine;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command line and a JVM that is running: what it can do there, and what it says where it cannot. */
class AttachToJvmIT {
    @TempDir
    Path folder;

    private Path rules;

    static Stream<Jdk> jdks() {
        return Jdk.both().stream();
    }

    @BeforeEach
    void rules() throws Exception {
        rules = Files.writeString(folder.resolve("rules.yaml"), "mode: enforce\n");
    }

    private ServiceProcess.Builder plain(Jdk jdk) {
        return ServiceProcess.builder("probe").jdk(jdk).folder(folder);
    }

    /** A JVM that waits for a line before it goes on with these commands. */
    private static ServiceProcess waiting(ServiceProcess.Builder builder, String... commands) throws Exception {
        ServiceProcess process = builder.main(Startup.testClasses(), Probe.class.getName())
                .args(Stream.concat(Stream.of("read"), Stream.of(commands)).toArray(String[]::new))
                .start();
        process.await("^main begins$", Startup.LIMIT);
        return process;
    }

    private static CommandLine attach(ServiceProcess process, String... options) {
        return CommandLine.run(
                Stream.concat(Stream.of("attach", "--timeout=120", Long.toString(process.pid())), Stream.of(options))
                        .toArray(String[]::new));
    }

    private CommandLine attachRules(ServiceProcess process) {
        return attach(process, "--rules", rules.toString());
    }

    private static void refused(CommandLine ended, String... saying) {
        assertThat(ended.exit()).as(ended.output()).isEqualTo(2);
        assertThat(ended.output()).contains(saying);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void theAgentComesAndNothingOfItIsVisibleAndNoFileIsLeftBehind(Jdk jdk) throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        try (ServiceProcess process = waiting(
                plain(jdk).jvm("-Djava.io.tmpdir=" + temporary, "-Xlog:disable"),
                "look=io.lockfence.agent.Agent",
                "look=net.bytebuddy.ByteBuddy",
                "threads")) {
            String said = attachRules(process).mustBeFine();
            assertThat(said)
                    .contains(
                            "mode enforce, rules: " + rules,
                            "redisson, ",
                            "postgresql, executors",
                            "not loaded so far, woven when they are",
                            "classes that were loaded before are woven");
            process.send("");
            assertThat(process.awaitExit(Startup.LIMIT)).isZero();
            assertThat(process.lines().stream().filter(line -> line.endsWith(" is invisible")))
                    .hasSize(6);
            assertThat(process.lines().stream().filter(line -> line.startsWith("thread lockfence")))
                    .allMatch(line -> line.endsWith(", daemon true, context loader null"));
            assertThat(process.count("^lockfence: .*, mode enforce, rules: ")).isEqualTo(2);
        }
        assertThat(temporary).isEmptyDirectory();
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("tmp", "rules.yaml");
    }

    @Test
    void rulesAndModeOfAnAgentThatWasThereFromTheStartChange() throws Exception {
        try (ServiceProcess process = waiting(Startup.probe(Jdk.oldest()).folder(folder))) {
            assertThat(attach(process).mustBeFine()).contains("mode observe, rules: no rules file");
            assertThat(attachRules(process).mustBeFine()).contains("mode enforce, rules: " + rules);
            assertThat(attach(process, "--mode", "shadow").mustBeFine()).contains("mode shadow");
            Files.writeString(rules, "mode: enforce\ntargets: [ { name: x } ]\n");
            CommandLine wrong = attachRules(process);
            assertThat(wrong.exit()).as(wrong.output()).isEqualTo(1);
            assertThat(attach(process).mustBeFine()).contains("mode shadow, rules: " + rules);
        }
    }

    @Test
    void anAgentThatStoodAsideForItsBrokenRulesTakesOthers() throws Exception {
        Path broken = Files.writeString(folder.resolve("lockfence.yaml"), "mode: of\n");
        try (ServiceProcess process = waiting(Startup.probe(Jdk.newest()).folder(folder))) {
            assertThat(process.said("NOTHING IS FENCED")).isTrue();
            refused(attach(process, "--mode", "enforce"), "no rules are in force in this JVM");
            Files.writeString(broken, "mode: off\n");
            assertThat(attachRules(process).mustBeFine()).contains("mode enforce");
        }
    }

    @Test
    void anAgentInModeOffWeavesWhenItIsSwitchedOn() throws Exception {
        Files.writeString(folder.resolve("lockfence.yaml"), "mode: off\n");
        try (ServiceProcess process = waiting(Startup.probe(Jdk.oldest()).folder(folder))) {
            assertThat(attach(process).mustBeFine()).contains("mode off");
            assertThat(attach(process, "--mode", "observe").mustBeFine())
                    .contains("mode observe", "loaded before are woven");
        }
    }

    @Test
    void twoAttachesAtOnceAreOneAfterTheOther() throws Exception {
        try (ServiceProcess process = waiting(plain(Jdk.oldest()))) {
            CompletableFuture<CommandLine> one = CompletableFuture.supplyAsync(() -> attachRules(process));
            CompletableFuture<CommandLine> other = CompletableFuture.supplyAsync(() -> attachRules(process));
            List<CommandLine> both = List.of(one.join(), other.join());
            assertThat(both).allSatisfy(ended -> assertThat(ended.mustBeFine()).contains("mode enforce"));
            assertThat(both.stream().filter(ended -> ended.output().contains("loaded before are woven")))
                    .hasSize(1);
        }
    }

    @Test
    void aJvmWithoutTheAgentHasNoModeToChange() throws Exception {
        try (ServiceProcess process = waiting(plain(Jdk.oldest()))) {
            refused(
                    attach(process, "--mode", "observe"),
                    "no rules are in force in this JVM: give it some with --rules");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aJvmThatDoesNotLetItselfBeAttachedToIsNamed(Jdk jdk) throws Exception {
        try (ServiceProcess process = waiting(plain(jdk).jvm("-XX:+DisableAttachMechanism"))) {
            refused(attachRules(process), "-XX:+DisableAttachMechanism");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aJvmThatLoadsNoAgentsIsNamed(Jdk jdk) throws Exception {
        try (ServiceProcess process = waiting(plain(jdk).jvm("-XX:-EnableDynamicAgentLoading"))) {
            refused(attachRules(process), "-XX:-EnableDynamicAgentLoading", "-javaagent:lockfence.jar");
        }
    }

    @Test
    void aJvmThatHearsNoSignalsIsLeftAlone() throws Exception {
        try (ServiceProcess process = waiting(plain(Jdk.oldest()).jvm("-Xrs"))) {
            refused(attachRules(process), "-Xrs");
            process.send("");
            assertThat(process.awaitExit(Startup.LIMIT)).isZero();
        }
    }

    @Test
    void aJvmThatIsStoppedIsNotWaitedForForEver() throws Exception {
        try (ServiceProcess process = waiting(plain(Jdk.oldest()))) {
            process.stop();
            CommandLine ended =
                    CommandLine.run("attach", Long.toString(process.pid()), "--rules", rules.toString(), "--timeout=3");
            refused(ended, "does not answer; is it stopped");
            process.resume();
        }
    }
}
