/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ResourceNameTest {
    @Test
    void nameThatFitsStaysAsItIs() {
        assertThat(ResourceName.fit("orders/42")).isEqualTo("orders/42");
        assertThat(ResourceName.fit("")).isEmpty();
        assertThat(ResourceName.fit("x".repeat(255))).isEqualTo("x".repeat(255));
        assertThat(ResourceName.fit("\ud83d\ude80")).isEqualTo("\ud83d\ude80");
    }

    @Test
    void longerNameIsCutAndEndsInItsHash() {
        assertThat(ResourceName.fit("x".repeat(256)))
                .hasSize(255)
                .matches("x{222}#[0-9a-f]{32}")
                .isNotEqualTo(ResourceName.fit("x".repeat(257)));
    }

    @Test
    void nameIsCutBeforeWhatNoDatabaseStores() {
        assertThat(ResourceName.fit("a\0b")).matches("a#[0-9a-f]{32}").isNotEqualTo(ResourceName.fit("a\0c"));
        assertThat(ResourceName.fit("a\ud83d")).matches("a#[0-9a-f]{32}").isNotEqualTo(ResourceName.fit("a\ud83e"));
        assertThat(ResourceName.fit("\ude80\ud83d")).matches("#[0-9a-f]{32}");
        assertThat(ResourceName.fit("x".repeat(221) + "\ud83d\ude80".repeat(100)))
                .as("no pair is cut in half")
                .matches("x{221}#[0-9a-f]{32}");
    }

    @Test
    void fittedNamesStayDistinctAndFitAgain() {
        long seed = Long.getLong("lockfence.seed", System.nanoTime());
        Random random = new Random(seed);
        Set<String> names = new HashSet<>();
        Set<String> fitted = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder name = new StringBuilder("n".repeat(random.nextInt(3) * 150));
            for (int j = random.nextInt(5); j >= 0; j--) {
                name.append("ab\0\ud83d\ude80#".charAt(random.nextInt(6)));
            }
            String fit = ResourceName.fit(name.toString());
            names.add(name.toString());
            fitted.add(fit);

            assertThat(fit).as("seed %d", seed).hasSizeLessThanOrEqualTo(255).doesNotContain("\0");
            assertThat(ResourceName.fit(fit)).as("seed %d", seed).isEqualTo(fit);
        }
        assertThat(fitted).as("seed %d", seed).hasSameSizeAs(names);
    }
}
