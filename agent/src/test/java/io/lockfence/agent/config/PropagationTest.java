/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PropagationTest {
    @Test
    void classesAreLeftOutByPattern() {
        Propagation propagation = new Propagation(List.of("com.acme.audit.*", "*$Log", "com.acme.Once"));

        assertThat(propagation.excludes("com.acme.audit.Pool")).isTrue();
        assertThat(propagation.excludes("com.acme.audit.deep.Pool$Worker")).isTrue();
        assertThat(propagation.excludes("com.acme.audit.Pool$$Lambda/0x00007f3c"))
                .isTrue();
        assertThat(propagation.excludes("com.acme.Orders$Log")).isTrue();
        assertThat(propagation.excludes("com.acme.Once")).isTrue();
        assertThat(propagation.excludes("com.acme.Once$1")).isFalse();
        assertThat(propagation.excludes("com.acme.auditor.Pool")).isFalse();
        assertThat(propagation.excludes("com_acme.Once")).isFalse();
    }

    @Test
    void oneStarLeavesOutAllAndNothingIsLeftOutByDefault() {
        assertThat(new Propagation(List.of("*")).excludes("java.util.concurrent.ThreadPoolExecutor"))
                .isTrue();
        assertThat(Propagation.EVERYWHERE.excludes("java.util.concurrent.ThreadPoolExecutor"))
                .isFalse();
    }
}
