/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.config.LibraryLocks;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesLoader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine.Help.Ansi;

class ScanCommandTest {
    @TempDir
    private static Path compiled;

    private static String suspicious;
    private static String styles;

    @TempDir
    private Path directory;

    @BeforeAll
    static void compile() throws Exception {
        suspicious = Compiled.classes(
                        compiled.resolve("suspicious"),
                        List.of(),
                        Compiled.fixture("libraries.txt"),
                        Compiled.fixture("suspicious.txt"))
                .toString();
        styles = Compiled.classes(
                        compiled.resolve("styles"),
                        List.of(),
                        Compiled.fixture("libraries.txt"),
                        Compiled.fixture("styles.txt"))
                .toString();
    }

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(Ansi.OFF, new PrintWriter(out), new PrintWriter(err), arguments);
        return new Ended(code, out.toString(), err.toString());
    }

    /** JSON is YAML. */
    private static Map<?, ?> json(String text) {
        return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    @Test
    void findingsAreToldFirstAndEndInOne() {
        Ended ended = run("scan", suspicious);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .containsSubsequence(
                        "lock libraries",
                        "Redisson: ",
                        "findings: ",
                        "unlock before commit: ",
                        "shop.Unlocks.badAnnotated(Unlocks.java:13)",
                        "write to a third party under a lock",
                        "locks: ",
                        "\"order:{id}\"",
                        "writes under no lock that was found",
                        "proposed rules",
                        "mode: enforce");
    }

    @Test
    void withoutFindingsItEndsInZero() {
        Ended ended = run("scan", styles);

        assertThat(ended.out()).contains("findings: none");
        assertThat(ended.code()).isZero();
    }

    @Test
    void whatIsNotThereIsWrongUsage() {
        Ended ended = run("scan", directory.resolve("missing.jar").toString());

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("not there: ").contains("missing.jar");
    }

    @Test
    void theRulesAreWrittenAndPassCheckButWriteOverNothing() throws Exception {
        Path rules = directory.resolve("lockfence.yaml");

        run("scan", suspicious, "--rules", rules.toString(), "--mode", "shadow");

        assertThat(RulesLoader.load(rules.toFile()).mode()).isEqualTo(Mode.SHADOW);
        assertThat(run("check", rules.toString()).code()).isZero();
        Files.writeString(rules, "mode: off\n");
        assertThat(run("scan", suspicious, "--rules", rules.toString()).code()).isEqualTo(2);
        assertThat(rules).hasContent("mode: off");
    }

    @Test
    void jsonHasAllOfIt() {
        Map<?, ?> result = json(run("scan", suspicious, "--format", "json").out());

        assertThat((List<?>) result.get("findings"))
                .hasSizeGreaterThan(10)
                .allSatisfy(finding -> assertThat(((Map<?, ?>) ((Map<?, ?>) finding).get("place")).get("line"))
                        .asInstanceOf(InstanceOfAssertFactories.INTEGER)
                        .isPositive())
                .anySatisfy(finding ->
                        assertThat(((Map<?, ?>) finding).get("shape")).isEqualTo("unlock-before-commit"));
        assertThat((List<?>) result.get("locks"))
                .anySatisfy(lock -> assertThat(((Map<?, ?>) lock).get("key")).isEqualTo("order:{id}"));
        assertThat((List<?>) result.get("writes")).isNotEmpty();
        assertThat((String) result.get("rules")).contains("locks:\n");
    }

    @Test
    void thePageNeedsNothingElseAndRunsNothing() throws Exception {
        Path page = directory.resolve("scan.html");

        run("scan", suspicious, "--html", page.toString());

        assertThat(page)
                .content()
                .startsWith("<!doctype html>")
                .contains("unlock before commit", "shop.Unlocks.badAnnotated", "order:{id}", "Proposed rules")
                .doesNotContain("<script", "src=", "href=", "http://", "https://", "@import", "url(");
    }

    @Test
    void textOfTheServiceCannotBreakOutOfThePageOrTheRules() throws Exception {
        String classes = Compiled.classes(
                        directory.resolve("hostile"), List.of(), Compiled.fixture("libraries.txt"), """
                        //// shop/Hostile.java
                        package shop;
                        import org.redisson.api.*;
                        public class Hostile {
                            RedissonClient redisson; org.springframework.jdbc.core.JdbcTemplate jdbc;
                            void work(String id) {
                                RLock lock = redisson.getLock("<script>'\\"\\\\{}\\n\\u2028mode: off#" + id);
                                lock.lock();
                                try { jdbc.update("update <b onclick='x'>\\u0000 set x"); } finally { lock.unlock(); }
                            }
                        }
                        """)
                .toString();
        Path page = directory.resolve("scan.html");
        Path rules = directory.resolve("rules.yaml");

        String out = run("scan", classes, "--html", page.toString(), "--rules", rules.toString(), "--format", "json")
                .out();

        assertThat(page).content().doesNotContain("<script", "<b onclick");
        assertThat(RulesLoader.load(rules.toFile()).mode()).isEqualTo(Mode.ENFORCE);
        assertThat(RulesLoader.load(rules.toFile()).lockRule("redisson", "<script>'\"\\{}\n\u2028mode: off#42"))
                .get()
                .satisfies(rule -> assertThat(((LibraryLocks) rule.origin()).key())
                        .asString()
                        .isNotEqualTo("*"));
        assertThat(json(out).get("rules")).isEqualTo(Files.readString(rules));
    }

    @Test
    void classesInOtherJarsCanBeTheServicesOwn() throws Exception {
        Path jar = Compiled.jar(directory.resolve("module.jar"), Path.of(styles), "shop/");
        Path fat = directory.resolve("fat.jar");
        try (OutputStream out = Files.newOutputStream(fat);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("BOOT-INF/lib/module.jar"));
            Files.copy(jar, zip);
            zip.closeEntry();
            Compiled.pack(zip, Path.of(styles), "", "org/redisson/");
        }

        assertThat(run("scan", fat.toString()).out()).doesNotContain("redisson:{id1}");
        assertThat(run("scan", fat.toString(), "--own", "shop.").out()).contains("redisson:{id1}:{id2}-x");
    }

    @Test
    void checkSaysWhatTheRulesMatchInTheJars() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), """
                mode: enforce
                locks:
                  - name: orders
                    library: redisson
                    key: "order:{id}"
                targets:
                  - name: db
                    jdbc: "jdbc:postgresql://**"
                """);

        Ended ended = run("check", rules.toString(), "--jar", suspicious);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "lock orders: matches nothing: no class of redisson that is woven is in the jars",
                        "target db: matches nothing: no class of postgresql that is woven is in the jars",
                        "RLock.tryLock \"order:{id}\" in shop.Attempts.badPopped(");
    }

    @Test
    void checkSaysWhatNearlyMatchesAndWhyNot() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), "mode: enforce\n");
        String classes =
                Compiled.classes(directory.resolve("strange"), List.of(), """
                //// org/redisson/RedissonBaseLock.java
                package org.redisson;
                public class RedissonBaseLock { public Object unlockAsync(String owner) { return null; } }
                //// org/redisson/RedissonLock.java
                package org.redisson;
                public class RedissonLock { public void lock() {} }
                """).toString();

        Ended ended = run("check", rules.toString(), "--jar", classes);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "lock redisson: redisson, matches nothing that is enough: inactive",
                        "points match: acquire 1",
                        "nearly: org.redisson.RedissonBaseLock#unlockAsync (release): expected (J); "
                                + "org.redisson.RedissonBaseLock#unlockAsync(Ljava/lang/String;)Ljava/lang/Object;: has other parameters",
                        "not there: org.redisson.RedissonLock#tryLock (acquire): this version has no such method");
    }

    @Test
    void checkSaysWhatMethodTargetsMatch() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), """
                mode: enforce
                locks:
                  - {name: l, acquire: plant.Locks#take(), resource: l, lease: 1s}
                targets:
                  - name: plc
                    method: plant.Device#send(byte[])
                  - name: other
                    method: plant.Device#sendd(byte[])
                """);
        String classes =
                Compiled.classes(directory.resolve("plant"), List.of(), """
                //// plant/Device.java
                package plant;
                public interface Device { void send(byte[] bytes); }
                //// plant/Plc.java
                package plant;
                public class Plc implements Device { public void send(byte[] bytes) {} }
                //// plant/Locks.java
                package plant;
                public class Locks { public boolean take() { return true; } }
                """).toString();

        Ended ended = run("check", rules.toString(), "--jar", classes);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "lock l: every method is found",
                        "target plc: every method is found",
                        "  method plant.Device#send(byte[]): 1 method",
                        "    plant.Plc#send(byte[])",
                        "target other: what is not found would not be fenced, and the rest refused",
                        "  method plant.Device#sendd(byte[]): matches nothing",
                        "there is no method plant.Device#sendd(byte[])");
    }

    @Test
    void checkOfRulesThatTurnAllOffMatchesNothingAndThatIsFine() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), "mode: off\n");

        assertThat(run("check", rules.toString(), "--jar", suspicious).code()).isZero();
    }

    @Test
    void everyLibraryThatRulesCanNameCanBeChecked() {
        assertThat(JarCheck.LOCKS.keySet()).containsExactlyInAnyOrderElementsOf(Rules.LIBRARIES);
    }
}
