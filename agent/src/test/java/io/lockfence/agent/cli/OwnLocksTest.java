/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.cli.scan.ScanResult;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.cli.scan.Scanner;
import io.lockfence.agent.config.Mode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

/** Locks that a service makes itself of {@code SET NX}: scan proposes rules that name its methods, where that is safe. */
class OwnLocksTest {
    @TempDir
    private static Path compiled;

    private static Path classes;
    private static ScanResult result;

    @BeforeAll
    static void scan() throws Exception {
        classes = Compiled.classes(compiled, List.of(), Compiled.fixture("libraries.txt"), Compiled.fixture("own.txt"));
        result = new Scanner(List.of(classes), List.of(), Mode.ENFORCE).scan();
    }

    @Test
    void aRuleNamesTheMethodsOfEachLock() {
        assertThat(result.notices()).isEmpty();
        assertThat(result.rules()).contains("""
                  - name: ByJedis
                    acquire:
                      - shop.ByJedis#take(java.lang.String,int)
                      - shop.ByJedis#takeAgain(java.lang.String,int,java.lang.String)
                    resource: "lock:{{{arg0}}}"
                    lease: arg1 ms
                    renew: shop.ByJedis#keep(java.lang.String,int)
                    release: shop.ByJedis#give(java.lang.String)
                """, """
                  - name: ByObject
                    acquire: shop.ByObject#tryLock(long,java.util.concurrent.TimeUnit)
                    resource: "obj:{this.key}"
                    lease: arg0 arg1
                    release: shop.ByObject#unlock()
                """, """
                  - name: BySpring
                    acquire: shop.BySpring#acquire(shop.Order,java.time.Duration)
                    resource: "order:{arg0.id}:lock"
                    lease: arg1
                    release: shop.BySpring#release(shop.Order,java.lang.String)
                """);
    }

    /** One that waits inside would give leases that are over when it returns; a marker that nobody deletes is no lock. */
    @Test
    void whatARuleWouldFenceWronglyIsNotProposed() {
        assertThat(result.rules())
                .doesNotContain("#lock(", "OnceOnly#", "Unnamed#", "keepFor", "#other(")
                .contains("Seen, and not fenced by this version:", "\"wait:{id}\"", "\"seen:{id}\"");
    }

    @Test
    void twoFencesForOneLockAreNotProposed() {
        assertThat(result.rules())
                .contains("# Left out: shop.ByJedis#takeShortly(java.lang.String) takes the locks of lock:{{{arg0}}}")
                .doesNotContain("- shop.ByJedis#takeShortly", "name: ByJedis-2");
    }

    @Test
    void whatIsWrittenUnderOneIsFound() {
        assertThat(result.locks())
                .filteredOn(site -> site.place().className().equals("shop.Work"))
                .singleElement()
                .satisfies(site -> assertThat(site.status()).isEqualTo(Status.BY_METHODS))
                .satisfies(site -> assertThat(site.how()).isEqualTo("through ByJedis.take"))
                .satisfies(site -> assertThat(site.within()).hasSize(1));
    }

    @Test
    void theWeaverTakesWhatIsProposed(@TempDir Path directory) throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), result.rules());
        StringWriter out = new StringWriter();

        Main.run(
                Ansi.OFF,
                new PrintWriter(out),
                new PrintWriter(out),
                "check",
                rules.toString(),
                "--jar",
                classes.toString());

        assertThat(out.toString())
                .contains(
                        "lock ByJedis: every method is found",
                        "lock ByObject: every method is found",
                        "lock BySpring: every method is found");
    }
}
