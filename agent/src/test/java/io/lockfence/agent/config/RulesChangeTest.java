/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RulesChangeTest {
    private static final String VIPS = """
              - { name: vips, library: redisson, key: "order:vip:{id}", resource: "vips/{id}" }
            """;
    private static final String ORDERS = """
              - { name: orders, library: redisson, key: "order:{id}", resource: "orders/{id}" }
            """;
    private static final String STOCK = """
              - { name: stock, library: redisson, key: "stock:{id}" }
            """;

    private static Rules rules(String mode, String... locks) throws RulesException {
        return RulesLoader.parse("mode: " + mode + "\nlocks:\n" + String.join("", locks), "test");
    }

    private static List<String> hindrances(Rules before, Rules after) {
        return RulesChange.hindrances(before, after);
    }

    @Test
    void locksOfTheirOwnMayComeAndGo() throws Exception {
        assertThat(hindrances(rules("enforce", ORDERS), rules("enforce", STOCK, ORDERS)))
                .isEmpty();
        assertThat(hindrances(rules("enforce", STOCK, ORDERS), rules("enforce", ORDERS)))
                .isEmpty();
        assertThat(hindrances(rules("enforce", ORDERS, STOCK), rules("shadow", STOCK, ORDERS)))
                .isEmpty();
    }

    @Test
    void aResourceCannotChange() throws Exception {
        Rules after = rules("enforce", ORDERS.replace("orders/", "sales/"));

        assertThat(hindrances(rules("enforce", ORDERS), after))
                .singleElement()
                .asString()
                .startsWith("lock 'orders' has other locks or resources");
        assertThat(hindrances(rules("observe", ORDERS), after)).isEmpty();
    }

    @Test
    void anotherNameForARuleChangesNothingButMayNotChangeItsResources() throws Exception {
        assertThat(hindrances(
                        rules("enforce", ORDERS), rules("enforce", ORDERS.replace("name: orders", "name: sales"))))
                .isEmpty();
        assertThat(hindrances(
                        rules("enforce", ORDERS),
                        rules(
                                "enforce",
                                ORDERS.replace("name: orders", "name: sales").replace("orders/", "sales/"))))
                .singleElement()
                .asString()
                .startsWith("lock 'sales' may take names from lock 'orders'");
    }

    @Test
    void namesCannotGoToAnotherRule() throws Exception {
        assertThat(hindrances(rules("enforce", ORDERS), rules("enforce", VIPS, ORDERS)))
                .singleElement()
                .asString()
                .startsWith("lock 'vips' may take names from lock 'orders'");
        assertThat(hindrances(rules("enforce", VIPS, ORDERS), rules("enforce", ORDERS)))
                .singleElement()
                .asString()
                .startsWith("lock 'orders' may take names from lock 'vips'");
    }

    @Test
    void generationsOnlyRise() throws Exception {
        Rules second = rules("enforce", ORDERS.replace(" }", ", generation: 2 }"));
        Rules third = rules("enforce", ORDERS.replace(" }", ", generation: 3 }"));

        assertThat(hindrances(second, third)).isEmpty();
        assertThat(hindrances(third, second)).singleElement().asString().contains("lower generation");
    }

    @Test
    void whetherLocksAreWatchedThatWereNotIsNoticed() throws Exception {
        assertThat(RulesChange.watchesMore(rules("enforce", ORDERS), rules("observe", ORDERS)))
                .isFalse();
        assertThat(RulesChange.watchesMore(rules("enforce", ORDERS, STOCK), rules("enforce", ORDERS)))
                .isFalse();
        assertThat(RulesChange.watchesMore(rules("enforce", ORDERS), rules("enforce", ORDERS, STOCK)))
                .isTrue();
        assertThat(RulesChange.watchesMore(rules("off", ORDERS), rules("enforce", ORDERS)))
                .isTrue();
    }

    @Test
    void anotherModeIsThatOfLocksThatFollowItAndABoundForTheOthers() throws Exception {
        Rules rules = rules("enforce", ORDERS, STOCK.replace(" }", ", mode: shadow }"));

        assertThat(modes(rules.inMode(Mode.ENFORCE))).containsExactly(Mode.ENFORCE, Mode.SHADOW);
        assertThat(modes(rules.inMode(Mode.SHADOW))).containsExactly(Mode.SHADOW, Mode.SHADOW);
        assertThat(modes(rules.inMode(Mode.OBSERVE))).containsExactly(Mode.OBSERVE, Mode.OBSERVE);
        assertThat(rules.inMode(Mode.OBSERVE).mode()).isEqualTo(Mode.OBSERVE);
    }

    @Test
    void whatIsSaidOfRequestsMayChange() throws Exception {
        String requests = """
                targets:
                  - { name: stock, http: "https://stock.internal/**" }
                receive:
                  - { name: in, path: "/orders/**", trust: network, from: 192.0.2.0/24 }
                """;
        Rules before = rules("enforce", ORDERS, requests);
        Rules after = rules("enforce", ORDERS, requests.replace("stock.", "*.").replace("/orders", "/sales"));

        assertThat(hindrances(before, after)).isEmpty();
        assertThat(hindrances(before, rules("enforce", ORDERS))).isEmpty();
        assertThat(RulesChange.watchesMore(rules("enforce", ORDERS), before)).isFalse();
        assertThat(after.inMode(Mode.SHADOW).receive())
                .extracting(ReceiveRule::mode)
                .containsExactly(Mode.SHADOW);
    }

    private static List<Mode> modes(Rules rules) {
        return rules.locks().stream().map(LockRule::mode).toList();
    }
}
