/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.cli.Compiled;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.config.LeaseScope;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesLoader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every lock library that is known is recognised, with the lock's name and what is written under it. */
class LockStylesTest {
    private static ScanResult result;
    private static ScanResult inlined;

    @BeforeAll
    static void scan(@TempDir Path directory) throws Exception {
        result = scanned(directory.resolve("indy"), List.of());
        inlined = scanned(directory.resolve("inline"), List.of("-XDstringConcat=inline"));
    }

    private static ScanResult scanned(Path directory, List<String> options) throws Exception {
        Path classes =
                Compiled.classes(directory, options, Compiled.fixture("libraries.txt"), Compiled.fixture("styles.txt"));
        return new Scanner(List.of(classes), List.of(), Mode.ENFORCE).scan();
    }

    private static LockSite site(ScanResult scanned, String method) {
        return scanned.locks().stream()
                .filter(site -> site.place().method().equals(method)
                        && site.place().className().equals("shop.Styles"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no lock in " + method + ": " + scanned.locks()));
    }

    @ParameterizedTest
    @CsvSource({
        "redisson,          redisson,           FENCED,          redisson:{id1}:{id2}-x",
        "redissonSpin,      redisson,           KIND_NOT_FENCED, spin:{id}",
        "redissonRead,      redisson,           KIND_NOT_FENCED, rw:{id}",
        "redissonAsJdkLock, redisson,           FENCED,          jdk:{id}",
        "options,           redisson,           FENCED,          options:{id}",
        "multi,             redisson,           FENCED,          *",
        "fasterMulti,       redisson,           KIND_NOT_FENCED, faster:{id}",
        "reactive,          redisson,           FENCED,          reactive:{id}",
        "curator,           curator,            FENCED,          /locks/{id}",
        "curatorWrite,      curator,            FENCED,          /pairs/{id}",
        "curatorRead,       curator,            KIND_NOT_FENCED, /pairs/{id}",
        "etcd,              etcd,               FENCED,          e:{id}",
        "elected,           etcd,               FENCED,          leader:{id}",
        "consul,            consul,             NOT_YET,         consul/{id}",
        "lettuce,           lettuce,            NOT_YET,         l:{id}",
        "jedis,             jedis,              NOT_YET,         j:{id}",
        "shedlock,          shedlock,           NOT_YET,         nightly",
        "scheduled,         shedlock,           NOT_YET,         report",
        "registry,          spring-integration, NOT_YET,         r:{id}",
        "wrapped,           redisson,           FENCED,          wrapped:{id}",
        "builder,           redisson,           FENCED,          built:{id}:end",
    })
    void aLockIsRecognisedAndSoIsTheWriteUnderIt(String method, String library, Status status, String key) {
        for (ScanResult scanned : List.of(result, inlined)) {
            LockSite site = site(scanned, method);

            assertThat(site.library()).isEqualTo(library);
            assertThat(site.status()).isEqualTo(status);
            assertThat(site.key()).isEqualTo(key);
            assertThat(site.within())
                    .singleElement()
                    .satisfies(use -> assertThat(use.write().place().method()).isEqualTo("write"))
                    .satisfies(use -> assertThat(use.path()).containsExactly("Styles." + method, "Styles.write"));
        }
    }

    @Test
    void leasesThatStandInTheCodeAreRead() {
        assertThat(site(result, "lettuce").leaseMillis()).isEqualTo(5_000);
        assertThat(site(result, "jedis").leaseMillis()).isEqualTo(7_000);
        assertThat(site(result, "scheduled").leaseMillis()).isEqualTo(600_000);
        assertThat(site(result, "redisson").leaseMillis()).isZero();
    }

    @Test
    void whatIsWrittenAfterAReentryHasEndedIsUnderTheOuterHoldAlone() {
        List<LockSite> sites = result.locks().stream()
                .filter(site -> site.place().method().equals("reentered"))
                .toList();

        assertThat(sites).extracting(site -> site.within().size()).containsExactly(1, 0);
    }

    @Test
    void whatRepositoriesAndMappersWriteIsToldByTheirAnnotations() {
        assertThat(site(result, "declared").within())
                .extracting(use -> use.write().call() + " " + use.write().detail())
                .containsExactly(
                        "Orders.markPaid update Order set paid = true",
                        "Orders.save ",
                        "Mapper.touch update orders set touched = now()");
    }

    @Test
    void aLockThatPassesOnToItsOwnMethodsTakesNothing() {
        assertThat(result.locks()).noneMatch(site -> site.place().className().equals("shop.OwnLock"));
    }

    @Test
    void aLockOfThisProcessIsNone() {
        assertThat(result.locks()).noneMatch(site -> site.place().method().equals("localOnly"));
    }

    @Test
    void aCacheEntryIsNotTakenForALock() {
        assertThat(site(result, "cached").status()).isEqualTo(Status.MAYBE);
        assertThat(result.findings()).isEmpty();
    }

    @Test
    void theProposalIsAFileThatTheLoaderTakes() throws Exception {
        Rules rules = RulesLoader.parse(result.rules(), "proposal");

        assertThat(rules.mode()).isEqualTo(Mode.ENFORCE);
        assertThat(rules.lockRule("redisson", "jdk:42"))
                .get()
                .extracting(rule -> rule.name())
                .isEqualTo("jdk");
        assertThat(rules.lockRule("redisson", "wrapped:42")).isPresent();
        assertThat(rules.lockRule("etcd", "leader:42").orElseThrow().origin().scope())
                .isEqualTo(LeaseScope.PROCESS);
        assertThat(rules.target("jdbc:postgresql://db:5432/orders")).isPresent();
        assertThat(result.rules()).contains("Spring Integration LockRegistry \"r:{id}\"", "not fenced by this version");
    }

    @Test
    void aServiceWithoutLocksIsObserved(@TempDir Path directory) throws Exception {
        Path classes =
                Compiled.classes(directory, List.of(), "//// shop/Empty.java\npackage shop;\npublic class Empty {}\n");

        ScanResult empty = new Scanner(List.of(classes), List.of(), Mode.ENFORCE).scan();

        assertThat(empty.locks()).isEmpty();
        assertThat(RulesLoader.parse(empty.rules(), "proposal").mode()).isEqualTo(Mode.OBSERVE);
    }
}
