/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.cli.Compiled;
import io.lockfence.agent.config.Mode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each shape is found where it stands, and nowhere beside: in the fixture the methods called bad have it, those called good look like it. */
class SuspiciousShapesTest {
    private static ScanResult result;

    @BeforeAll
    static void scan(@TempDir Path directory) throws Exception {
        Path classes = Compiled.classes(
                directory, List.of(), Compiled.fixture("libraries.txt"), Compiled.fixture("suspicious.txt"));
        result = new Scanner(List.of(classes), List.of(), Mode.ENFORCE).scan();
    }

    private static List<String> found(Shape shape) {
        return result.findings().stream()
                .filter(finding -> finding.shape() == shape)
                .map(finding ->
                        finding.place().className() + "." + finding.place().method())
                .toList();
    }

    @Test
    void nothingInnocentIsFound() {
        assertThat(result.findings())
                .filteredOn(finding -> finding.place().method().startsWith("good"))
                .isEmpty();
    }

    @Test
    void everyMethodOfTheFixtureIsFollowed() {
        assertThat(result.notices()).isEmpty();
        assertThat(result.locks()).hasSizeGreaterThan(30);
    }

    @Test
    void unlockBeforeCommit() {
        assertThat(found(Shape.UNLOCK_BEFORE_COMMIT))
                .containsExactlyInAnyOrder(
                        "shop.Unlocks.badAnnotated",
                        "shop.Unlocks.badManual",
                        "shop.Unlocks.badTemplate",
                        "shop.Unlocks.badHibernate",
                        "shop.Unlocks.badJooq",
                        "shop.Stock.badLockedByCallee");
    }

    @Test
    void lockInsideAnOpenTransaction() {
        assertThat(found(Shape.LOCK_IN_TRANSACTION))
                .containsExactlyInAnyOrder(
                        "shop.Locks.badInTransaction",
                        "shop.Locks.badManualTransaction",
                        // Who unlocks before the commit has locked after the beginning.
                        "shop.Unlocks.badAnnotated",
                        "shop.Unlocks.badTemplate",
                        "shop.Unlocks.badHibernate",
                        "shop.Unlocks.badJooq",
                        "shop.Stock.badLockedByCallee");
    }

    @Test
    void resultOfAnAttemptIgnored() {
        assertThat(found(Shape.RESULT_IGNORED))
                .containsExactlyInAnyOrder(
                        "shop.Attempts.badPopped", "shop.Attempts.badStored", "shop.Attempts.badToken");
    }

    @Test
    void leaseShorterThanATimeout() {
        assertThat(found(Shape.SHORT_LEASE))
                .containsExactlyInAnyOrder(
                        "shop.Leases.badQueryTimeout",
                        "shop.Leases.badRequestTimeout",
                        "shop.Leases.badTransactionTimeout");
        assertThat(result.findings())
                .filteredOn(finding -> finding.place().method().equals("badQueryTimeout"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.what()).contains("the lease is 5s", "query timeout", "30s"));
    }

    @Test
    void writeToAThirdPartyUnderALock() {
        assertThat(found(Shape.THIRD_PARTY_WRITE))
                .containsExactlyInAnyOrder(
                        "shop.ThirdParties.badPost",
                        "shop.ThirdParties.tell",
                        "shop.ThirdParties.badRest",
                        "shop.Clients.badFeign",
                        "shop.Clients.badFeignOfMapping",
                        "shop.Clients.badFeignItself",
                        "shop.Clients.badRetrofit",
                        "shop.Clients.badExchange");
    }

    @Test
    void everyFindingSaysWhereAndWhy() {
        assertThat(result.findings()).allSatisfy(finding -> {
            assertThat(finding.place().line()).isPositive();
            assertThat(finding.place().file()).endsWith(".java");
            assertThat(finding.what()).isNotBlank();
            assertThat(finding.why()).isNotBlank();
        });
    }
}
