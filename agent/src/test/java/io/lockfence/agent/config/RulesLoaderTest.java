/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RulesLoaderTest {
    @Test
    void oneLineIsEnough() throws RulesException {
        Rules rules = RulesLoader.parse("mode: enforce", "lockfence.yaml");

        assertThat(rules)
                .usingRecursiveComparison()
                .isEqualTo(new Rules(
                        Mode.ENFORCE,
                        false,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(60),
                        List.of(LockRule.everyLockOf("redisson", Mode.ENFORCE)),
                        List.of(TargetRule.everyDatabase()),
                        List.of(),
                        Propagation.EVERYWHERE,
                        "lockfence.yaml"));
    }

    @Test
    void withoutAModeNothingIsRefused() throws RulesException {
        Rules rules = RulesLoader.parse("strict: true", "lockfence.yaml");

        assertThat(rules.mode()).isEqualTo(Mode.OBSERVE);
        assertThat(rules.locks()).extracting(LockRule::mode).containsExactly(Mode.OBSERVE);
    }

    @Test
    void aLockHasDefaults() throws RulesException {
        LockRule lock = lock("{name: orders, library: redisson, key: 'order:{id}'}");

        assertThat(lock.name()).isEqualTo("orders");
        assertThat(lock.mode()).isEqualTo(Mode.ENFORCE);
        assertThat(lock.library()).isEqualTo("redisson");
        assertThat(((LibraryLocks) lock.origin()).resource().isLockName()).isTrue();
        assertThat(lock.generation()).isZero();
        assertThat(lock.protects()).isEmpty();
        assertThat(lock.claim()).isEqualTo(ClaimAt.FIRST_ACCESS);
        assertThat(lock.guardAtRelease()).isTrue();
        assertThat(lock.ends()).isEqualTo(Ends.DEADLINE);
    }

    @Test
    void everyKeyOfALockIsRead() throws RulesException {
        LockRule lock = lock(
                "{name: orders, mode: shadow, library: redisson, key: 'order:{id}', resource: 'orders/{id}',"
                        + " generation: 2147483647, protects: [b, a], claim: acquire, guardAtRelease: false, ends: unlock}");

        assertThat(lock.mode()).isEqualTo(Mode.SHADOW);
        assertThat(lock.resourceOf("order:42")).contains("orders/42");
        assertThat(lock.resourceOf("stock:42")).isEmpty();
        assertThat(lock.generation()).isEqualTo(Integer.MAX_VALUE);
        assertThat(lock.protects()).containsExactly("b", "a");
        assertThat(lock.claim()).isEqualTo(ClaimAt.ACQUIRE);
        assertThat(lock.guardAtRelease()).isFalse();
        assertThat(lock.ends()).isEqualTo(Ends.UNLOCK);
    }

    @Test
    void everyKeyOfATargetIsRead() throws RulesException {
        Rules rules = RulesLoader.parse(
                "targets: [{name: a, jdbc: 'jdbc:postgresql://a/**', unleased: reject, expired: guard},"
                        + " {name: b, jdbc: 'jdbc:postgresql://b/**'}]",
                "lockfence.yaml");

        TargetRule a = rules.target("jdbc:postgresql://a/orders").orElseThrow();
        assertThat(a.name()).isEqualTo("a");
        assertThat(a.unleased()).isEqualTo(Unleased.REJECT);
        assertThat(a.letsExpiredCommit()).isTrue();
        TargetRule b = rules.target("jdbc:postgresql://b/orders").orElseThrow();
        assertThat(b.unleased()).isEqualTo(Unleased.ALLOW);
        assertThat(b.letsExpiredCommit()).isFalse();
        assertThat(rules.target("jdbc:postgresql://c/orders")).isEmpty();
    }

    @Test
    void everyKeyOfAMethodTargetIsRead() throws RulesException {
        Rules rules = RulesLoader.parse(
                "targets: [{name: a, method: 'com.acme.A#a(byte[])', unleased: report, afterRelease: reject},"
                        + " {name: b, method: ['com.acme.B#a()', 'com.acme.B#b(int...)']}]",
                "lockfence.yaml");

        TargetRule a = rules.targets().get(0);
        assertThat(a.unleased()).isEqualTo(Unleased.REPORT);
        assertThat(a.destination())
                .isEqualTo(new MethodDestination(
                        List.of(new MethodName("com.acme.A", "a", List.of("byte[]"))), AfterRelease.REJECT));
        MethodDestination b = (MethodDestination) rules.targets().get(1).destination();
        assertThat(b.methods()).hasToString("[com.acme.B#a(), com.acme.B#b(int[])]");
        assertThat(b.afterRelease()).isEqualTo(AfterRelease.REPORT);
        assertThat(rules.target("jdbc:postgresql://a/orders")).isEmpty();
    }

    @Test
    void theFirstRuleThatMatchesWins() throws RulesException {
        Rules rules = RulesLoader.parse("""
                locks:
                  - {name: vip, library: redisson, key: "order:vip:*"}
                  - {name: orders, library: redisson, key: "order:{id}", resource: "orders/{id}"}
                """, "lockfence.yaml");

        assertThat(rules.lockRule("redisson", "order:vip:1"))
                .map(LockRule::name)
                .contains("vip");
        assertThat(rules.lockRule("redisson", "order:1")).map(LockRule::name).contains("orders");
        assertThat(rules.lockRule("redisson", "stock:1")).isEmpty();
        assertThat(rules.lockRule("curator", "order:1")).isEmpty();
    }

    @Test
    void offForAllIsStrongerThanTheModeOfALock() throws RulesException {
        Rules rules = RulesLoader.parse(
                "mode: off\nlocks: [{name: a, mode: enforce, claim: acquire, library: redisson, key: a}]",
                "lockfence.yaml");

        assertThat(rules.mode()).isEqualTo(Mode.OFF);
        assertThat(rules.locks()).extracting(LockRule::mode).containsExactly(Mode.OFF);
    }

    @Test
    void aClaimAtAcquireWaitsForAStrongerModeOfTheFile() throws RulesException {
        Rules rules = RulesLoader.parse(
                "mode: observe\nlocks: [{name: a, claim: acquire, library: redisson, key: a}]", "lockfence.yaml");

        assertThat(rules.locks()).extracting(LockRule::claim).containsExactly(ClaimAt.ACQUIRE);
    }

    @Test
    void durationsHaveUnits() throws RulesException {
        assertThat(claimTimeout("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(claimTimeout("10s")).isEqualTo(Duration.ofSeconds(10));
        assertThat(claimTimeout("1m")).isEqualTo(Duration.ofMinutes(1));
        assertThat(claimTimeout("\"2 s\"")).isEqualTo(Duration.ofSeconds(2));
        assertThat(claimTimeout("PT1M30S")).isEqualTo(Duration.ofSeconds(90));
        assertThat(claimTimeout("PT0.25S")).isEqualTo(Duration.ofMillis(250));
        assertThat(RulesLoader.parse("guardIdle: 2h", "").guardIdle()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void protectsMayNameTheTargetOfEveryDatabase() throws RulesException {
        Rules rules =
                RulesLoader.parse("locks: [{name: a, library: redisson, key: a, protects: [jdbc]}]", "lockfence.yaml");

        assertThat(rules.locks().get(0).protects(rules.targets().get(0))).isTrue();
    }

    @Test
    void protectingNothingInParticularIsProtectingAll() throws RulesException {
        Rules rules = RulesLoader.parse("""
                locks:
                  - {name: all, library: redisson, key: "a:*"}
                  - {name: one, library: redisson, key: "b:*", protects: [x]}
                targets:
                  - {name: x, jdbc: "jdbc:postgresql://x/**"}
                  - {name: y, jdbc: "jdbc:postgresql://y/**"}
                """, "lockfence.yaml");

        TargetRule x = rules.targets().get(0);
        TargetRule y = rules.targets().get(1);
        assertThat(rules.locks().get(0).protects(x)).isTrue();
        assertThat(rules.locks().get(0).protects(y)).isTrue();
        assertThat(rules.locks().get(1).protects(x)).isTrue();
        assertThat(rules.locks().get(1).protects(y)).isFalse();
    }

    @Test
    void textInQuotesMayLookLikeAnything() throws RulesException {
        LockRule lock = lock("{name: 'on', library: redisson, key: '42'}");

        assertThat(lock.name()).isEqualTo("on");
        assertThat(((LibraryLocks) lock.origin()).key().matches("42")).isTrue();
    }

    @Test
    void aliasesInReasonAreFine() throws RulesException {
        Rules rules = RulesLoader.parse("""
                targets: [{name: x, jdbc: "**"}]
                locks:
                  - {name: a, library: redisson, key: "a:*", protects: &all [x]}
                  - {name: b, library: redisson, key: "b:*", protects: *all}
                """, "lockfence.yaml");

        assertThat(rules.locks().get(1).protects()).containsExactly("x");
    }

    private static Duration claimTimeout(String text) throws RulesException {
        return RulesLoader.parse("claimTimeout: " + text, "lockfence.yaml").claimTimeout();
    }

    private static LockRule lock(String text) throws RulesException {
        return RulesLoader.parse(
                        "mode: enforce\nlocks: [" + text + "]\ntargets:\n"
                                + "  - {name: a, jdbc: 'jdbc:postgresql://a/**'}\n"
                                + "  - {name: b, jdbc: 'jdbc:postgresql://b/**'}\n",
                        "lockfence.yaml")
                .locks()
                .get(0);
    }
}
