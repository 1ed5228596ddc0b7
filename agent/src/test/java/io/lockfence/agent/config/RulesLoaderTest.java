/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
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
                        List.of(
                                LockRule.everyLockOf("redisson", Mode.ENFORCE),
                                LockRule.everyLockOf("curator", Mode.ENFORCE),
                                LockRule.everyLockOf("etcd", Mode.ENFORCE)),
                        List.of(TargetRule.everyDatabase()),
                        List.of(),
                        Propagation.EVERYWHERE,
                        "lockfence.yaml"));
    }

    @Test
    void withoutAModeNothingIsRefused() throws RulesException {
        Rules rules = RulesLoader.parse("strict: true", "lockfence.yaml");

        assertThat(rules.mode()).isEqualTo(Mode.OBSERVE);
        assertThat(rules.locks()).extracting(LockRule::mode).containsOnly(Mode.OBSERVE);
    }

    @Test
    void resourcesOfTwoLibrariesNeverMeetWhereNothingNamesThem() throws RulesException {
        Rules rules = RulesLoader.parse("mode: enforce", "lockfence.yaml");

        assertThat(rules.lockRule("redisson", "/orders/1").orElseThrow().resourceOf("/orders/1"))
                .contains("/orders/1");
        assertThat(rules.lockRule("curator", "/orders/1").orElseThrow().resourceOf("/orders/1"))
                .contains("curator:/orders/1");
    }

    @Test
    void scopeProcessIsForLibrariesThatHaveLeaders() throws RulesException {
        LockRule leader = lock("{name: leader, library: curator, key: '/leader', scope: process}");

        assertThat(leader.origin().scope()).isEqualTo(LeaseScope.PROCESS);
        assertThat(lock("{name: a, library: curator, key: '/a'}").origin().scope())
                .isEqualTo(LeaseScope.THREAD);
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
    void everyKeyOfAnHttpTargetIsRead() throws RulesException {
        Rules rules = RulesLoader.parse(
                "targets: [{name: a, http: 'https://a.internal/**', methods: [POST, GET], key: A_KEY, unleased: reject, afterRelease: reject},"
                        + " {name: b, http: '*://*.internal/**'}, {name: c, jdbc: 'jdbc:postgresql://c/**', afterRelease: allow}]",
                "lockfence.yaml");

        TargetRule a = rules.httpTarget("https://A.internal:443/stock?x=y").orElseThrow();
        HttpDestination services = (HttpDestination) a.destination();
        assertThat(a.name()).isEqualTo("a");
        assertThat(a.unleased()).isEqualTo(Unleased.REJECT);
        assertThat(services.methods()).containsExactlyInAnyOrder("POST", "GET");
        assertThat(services.key()).isEqualTo("A_KEY");
        assertThat(services.afterRelease()).isEqualTo(AfterRelease.REJECT);
        HttpDestination others = (HttpDestination)
                rules.httpTarget("http://b.internal/").orElseThrow().destination();
        assertThat(others.methods()).containsExactlyInAnyOrder("POST", "PUT", "PATCH", "DELETE");
        assertThat(others.key()).isNull();
        assertThat(others.afterRelease()).isEqualTo(AfterRelease.REPORT);
        assertThat(rules.httpTarget("http://a.example/")).isEmpty();
        assertThat(rules.httpTarget("jdbc:postgresql://c/orders")).isEmpty();
        assertThat(rules.target("https://a.internal/")).isEmpty();
        assertThat(((JdbcDestination) rules.target("jdbc:postgresql://c/orders")
                                .orElseThrow()
                                .destination())
                        .afterRelease())
                .isEqualTo(AfterRelease.ALLOW);
    }

    @Test
    void everyKeyOfAReceiveRuleIsRead() throws RulesException {
        Rules rules = RulesLoader.parse("""
                mode: enforce
                targets:
                  - {name: db, jdbc: "jdbc:postgresql://db/**"}
                  - {name: plc, method: "com.acme.Plc#send()"}
                receive:
                  - {name: in, mode: shadow, path: "/stock/**", methods: [POST, PUT], require: true, fence: db, trust: network,
                     from: [192.0.2.0/24, "192.0.3.7"], leap: 9223372036854775807, protects: [db, plc]}
                  - {name: signed, path: "/orders", trust: signed, keys: [NEW_KEY, OLD_KEY]}
                  - {name: rest, path: "/**", trust: none}
                """, "lockfence.yaml");

        ReceiveRule in = rules.receiveRule("POST", "/stock/7").orElseThrow();
        assertThat(in.name()).isEqualTo("in");
        assertThat(in.mode()).isEqualTo(Mode.SHADOW);
        assertThat(in.require()).isTrue();
        assertThat(in.fence()).isEqualTo("db");
        assertThat(in.trust()).isEqualTo(Trust.NETWORK);
        assertThat(in.from()).hasToString("[192.0.2.0/24, 192.0.3.7]");
        assertThat(in.leap()).isEqualTo(Long.MAX_VALUE);
        assertThat(in.protects()).containsExactlyInAnyOrder("db", "plc");
        ReceiveRule signed = rules.receiveRule("DELETE", "/orders/").orElseThrow();
        assertThat(signed.mode()).isEqualTo(Mode.ENFORCE);
        assertThat(signed.require()).isFalse();
        assertThat(signed.fence()).isNull();
        assertThat(signed.trust()).isEqualTo(Trust.SIGNED);
        assertThat(signed.keys()).containsExactly("NEW_KEY", "OLD_KEY");
        assertThat(signed.leap()).isEqualTo(ReceiveRule.LEAP);
        assertThat(signed.protects()).isEmpty();
        assertThat(rules.receiveRule("GET", "/stock/7").orElseThrow().trust()).isEqualTo(Trust.NONE);
    }

    @Test
    void offForAllIsStrongerThanTheModeOfAReceiveRule() throws RulesException {
        Rules rules = RulesLoader.parse(
                "mode: off\nreceive: [{name: a, mode: enforce, path: /, trust: none}]", "lockfence.yaml");

        assertThat(rules.receive()).extracting(ReceiveRule::mode).containsExactly(Mode.OFF);
    }

    @Test
    void withoutAFileNothingIsSentOrReceivedAndEveryExecutorInherits() {
        Rules rules = Rules.observeEverything();

        assertThat(rules.receive()).isEmpty();
        assertThat(rules.targets()).noneMatch(target -> target.destination() instanceof HttpDestination);
        assertThat(rules.propagation().exclude()).isEmpty();
    }

    @Test
    void propagationMayNameOneClassOrSeveral() throws RulesException {
        assertThat(RulesLoader.parse("propagate: {exclude: com.acme.*}", "").propagation())
                .isEqualTo(new Propagation(List.of("com.acme.*")));
        assertThat(RulesLoader.parse("propagate: {exclude: [a.A, 'b.*']}", "")
                        .propagation()
                        .exclude())
                .containsExactly("a.A", "b.*");
    }

    private static final String WITH_KEYS = """
            mode: enforce
            targets:
              - {name: a, http: "https://a/**", key: A_KEY}
            receive:
              - name: in
                path: "/**"
                trust: signed
                keys: [B_KEY, C_KEY]
            """;

    @Test
    void keysAreLookedForWhereTheRulesAreToApplyAndNowhereElse() throws RulesException {
        String key = "0123456789abcdef0123456789abcdef";

        assertThat(RulesLoader.parse(WITH_KEYS, "f").receive()).hasSize(1);
        assertThat(RulesLoader.parse(WITH_KEYS, "f", Map.of("A_KEY", key, "B_KEY", key, "C_KEY", key))
                        .receive())
                .hasSize(1);
        assertThat(RulesLoader.parse(WITH_KEYS.replace("enforce", "off"), "f", Map.of())
                        .receive())
                .hasSize(1);
        assertThat(SigningKey.mistakes(RulesLoader.parse(WITH_KEYS, "f"), Map.of("A_KEY", key)))
                .containsExactly(
                        "the environment variable B_KEY is not set", "the environment variable C_KEY is not set");
        RulesException refused = catchThrowableOfType(
                RulesException.class,
                () -> RulesLoader.parse(WITH_KEYS, "f", Map.of("B_KEY", key, "C_KEY", "hush-hush")));
        assertThat(refused.lines())
                .containsExactly(
                        "f:3:42: 'key' in target 'a': the environment variable A_KEY is not set; expected at least 32 bytes, such as `openssl rand -base64 32` makes",
                        "f:8:19: 'keys' in receive rule 'in': the environment variable C_KEY holds 9 bytes, which are too few for a key; expected at least 32 bytes, such as `openssl rand -base64 32` makes");
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
