/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.0",
        "192.0.2.0/24, 192.0.2.255",
        "192.0.2.7, 192.0.2.7",
        "192.0.2.7/32, 192.0.2.7",
        "192.0.2.128/25, 192.0.2.129",
        "0.0.0.0/0, 203.0.113.9",
        "192.0.2.0/24, ::ffff:192.0.2.9",
        "2001:db8::/32, 2001:db8:1::7",
        "2001:db8::/32, 2001:0DB8:0:0:0:0:0:7",
        "::1, 0:0:0:0:0:0:0:1",
        "fe80::/10, fe80::1%eth0",
        "::/0, 2001:db8::1",
    })
    void contains(String network, String peer) {
        assertThat(Network.parse(network).contains(peer)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "192.0.2.0/24, 192.0.3.0",
                "192.0.2.0/24, 192.0.1.255",
                "192.0.2.7, 192.0.2.8",
                "192.0.2.128/25, 192.0.2.127",
                "192.0.2.0/24, 2001:db8::1",
                "0.0.0.0/0, ::1",
                "::/0, 192.0.2.1",
                "2001:db8::/32, 2001:db9::1",
                "192.0.2.0/24, null",
                "192.0.2.0/24, ''",
                "192.0.2.0/24, localhost",
                "192.0.2.0/24, 192.0.2",
                "192.0.2.0/24, 192.0.2.256",
                "192.0.2.0/24, 192.0.2.1.1",
                "192.0.2.0/24, 192.0.2.01",
                "192.0.2.0/24, ' 192.0.2.1'",
                "192.0.2.0/24, '192.0.2.1,198.51.100.1'",
                "192.0.2.0/24, 192.0.2.1:80",
                "::/0, ':'",
                "::/0, ':::'",
                "::/0, '%eth0:'",
                "::/0, '[::1]'",
            })
    void doesNotContain(String network, String peer) {
        assertThat(Network.parse(network).contains(peer)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/24",
                "192.0.2.0/",
                "192.0.2.0/33",
                "192.0.2.0/-1",
                "192.0.2.0/2 4",
                "192.0.2.0/024x",
                "192.0.2.1/24",
                "192.0.2/24",
                "256.0.2.0/24",
                "2001:db8::/129",
                "2001:db8::1/64",
                "stock.internal",
                "localhost/8",
                "192.0.2.0/24/24",
                ":",
            })
    void whatIsNoNetworkIsRefused(String text) {
        assertThatThrownBy(() -> Network.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Every machine knows {@code localhost}, and Java reads these numbers too. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost.", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1"})
    void nothingIsLookedUp(String name) {
        assertThat(Network.parse("127.0.0.0/8").contains(name)).isFalse();
        assertThat(Network.parse("::1").contains(name)).isFalse();
    }
}
