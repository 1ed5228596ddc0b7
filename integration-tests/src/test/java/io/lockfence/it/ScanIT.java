/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands scan and check over real jars, as users run them: the built agent in a JVM of its own, with little memory. */
class ScanIT {
    /** What docs/scan.md promises. */
    private static final String HEAP = "-Xmx96m";

    /** A scan takes some seconds; this is for a machine that is busy with other tests. */
    private static final Duration LONGEST = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    private record Ended(int code, String out, String err) {}

    private Ended lockfence(Object... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        List<String> command = new ArrayList<>(
                List.of(Jdk.running().java(), HEAP, "-jar", Build.agentJar().toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " takes longer than " + LONGEST);
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static Path large(String name) {
        return Build.root().resolve("integration-tests/target/large").resolve(name);
    }

    @Test
    void theStockServicesLocksAreFoundAndItsWritesUnderThem() throws Exception {
        Ended ended = lockfence("scan", Build.stockJar());

        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .contains(
                        "Redisson 4.7.0: ",
                        "database driver postgresql 42.7.14: can be fenced",
                        "com.example.stock.Load.locked(Load.java:",
                        "\"stock:{id}\"",
                        "by Load.locked > Load.work > Stock.write",
                        "by Stock.increment > Stock.write",
                        "findings: none");
        assertThat(ended.code()).isZero();
    }

    @Test
    void theSpringServicesMistakesAreFoundAndItsRightWaysAreNot() throws Exception {
        Ended ended = lockfence("scan", Build.springJar());

        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "RLock.unlock runs inside the @Transactional Stock.unlockBeforeCommit, which commits after it",
                        "RLock.unlock runs inside the @Transactional Orders.relockInNew, which commits after it",
                        "by StockController.increment > Stock.increment")
                .doesNotContain("runs inside the @Transactional Stock.increment,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hibernate-core.jar", "redisson.jar"})
    void largePublishedJarsAreScannedWithLittleMemory(String jar) throws Exception {
        Ended ended = lockfence("scan", large(jar), "--format", "json");

        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).contains("\"ownMethods\": ", "\"findings\": []", "\"notices\": []");
        assertThat(ended.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theProposedRulesPassCheckAndMatchTheService(boolean spring) throws Exception {
        Path jar = spring ? Build.springJar() : Build.stockJar();
        Path rules = directory.resolve("lockfence.yaml");
        lockfence("scan", jar, "--rules", rules);

        Ended ended = lockfence("check", rules, "--jar", jar);

        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .contains(
                        rules + ": fine",
                        "lock stock: redisson 4.7.0, full: everything is seen as it happens",
                        "target database: postgresql 42.7.")
                .doesNotContain("matches nothing", "nearly: ");
        assertThat(ended.code()).isZero();
    }

    @Test
    void rulesThatMatchNothingInTheJarsAreAnError() throws Exception {
        Path rules = Files.writeString(directory.resolve("lockfence.yaml"), "mode: enforce\n");

        Ended ended = lockfence("check", rules, "--jar", large("redisson.jar"));

        assertThat(ended.out())
                .contains(
                        "lock redisson: redisson 4.7.0, full: ",
                        "target jdbc: matches nothing: no class of postgresql that is woven is in the jars");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void theProposedRulesFenceTheServiceAsItIs() throws Exception {
        Path rules = directory.resolve("lockfence.yaml");
        lockfence("scan", Build.stockJar(), "--rules", rules);

        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("lock stock:1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment stock:1 1 0");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock stock:1");
                })
                .rules(Files.readString(rules))
                .play();

        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }

    /** The rules that were proposed name the methods of the service's own lock; under an interface and a proxy as well. */
    @Test
    void theProposedRulesFenceLocksOfTheServicesOwn() throws Exception {
        String lock = "client-lettuce";
        Path rules = directory.resolve("lockfence.yaml");
        lockfence("scan", Build.homemadeJar(), "--rules", rules);
        Ended checked = lockfence("check", rules, "--jar", Build.homemadeJar());

        Result result = Scenario.of(world -> {
                    Service a = world.homemade("a", lock);
                    Service b = world.homemade("b", lock);
                    for (Service service : List.of(a, b)) {
                        for (String command :
                                List.of("lock warm-up", "begin", "read 1", "rollback", "unlock warm-up")) {
                            service.tries(command);
                        }
                    }
                    a.does("lock 1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment 1 1");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock 1");
                })
                .rules(Files.readString(rules))
                .play();

        assertThat(checked.out())
                .contains("lock JedisLock: every method is found", "lock LettuceLock: every method is found");
        assertThat(checked.code()).isZero();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }
}
