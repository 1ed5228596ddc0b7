/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RepeatBoundTest {
    private long now = Long.MAX_VALUE - 50;
    private final RepeatBound bound = new RepeatBound(2, 5, 100, now);

    @Test
    void saysHowManyWereLeftOutWithTheNextLine() {
        assertThat(bound.ask("a", now)).hasValue(0);
        assertThat(bound.ask("a", now)).hasValue(0);
        for (int i = 0; i < 120; i++) {
            assertThat(bound.ask("a", now)).isEmpty();
        }
        now += 100;

        assertThat(bound.ask("a", now)).hasValue(120);
        assertThat(bound.ask("a", now)).hasValue(0);
    }

    @Test
    void keysDoNotShareTheirLines() {
        bound.ask("a", now);
        bound.ask("a", now);

        assertThat(bound.ask("a", now)).isEmpty();
        assertThat(bound.ask("b", now)).hasValue(0);
    }

    @Test
    void manyKeysTogetherAreBoundedToo() {
        int written = 0;
        for (int key = 0; key < 100_000; key++) {
            OptionalLong line = bound.ask(key, now);
            written += line.isPresent() ? 1 : 0;
        }

        assertThat(written).isEqualTo(5);
    }
}
