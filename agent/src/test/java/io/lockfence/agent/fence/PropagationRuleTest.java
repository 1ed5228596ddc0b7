/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Propagation;
import io.lockfence.agent.config.Rules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** What {@code propagate: exclude} leaves out. */
class PropagationRuleTest {
    private static final Class<?> POOL = ThreadPoolExecutor.class;
    private static final Class<?> FACTORY = Executors.defaultThreadFactory().getClass();

    private static final class Audit implements Runnable {
        @Override
        public void run() {}
    }

    @Test
    void oneOfTheThreeClassesIsEnough() {
        for (String pattern : List.of(
                POOL.getName(), "java.util.concurrent.Executors$*", "io.lockfence.agent.fence.Propagation*$Audit")) {
            Leases leases = leases(pattern);

            assertThat(leases.inherits(POOL, FACTORY, Audit.class)).as(pattern).isFalse();
        }
        Leases leases = leases("com.acme.*");
        assertThat(leases.inherits(POOL, FACTORY, Audit.class)).isTrue();
        assertThat(leases.inherits(null, null, Audit.class)).isTrue();
    }

    @Test
    void lambdasAreOfTheClassThatTheyAreWrittenIn() {
        Runnable lambda = () -> {};

        assertThat(leases(PropagationRuleTest.class.getName() + "$$Lambda*").inherits(POOL, null, lambda.getClass()))
                .isFalse();
        assertThat(leases("java.*").inherits(null, null, lambda.getClass())).isTrue();
    }

    @Test
    void otherRulesCountFromTheirChangeOn() {
        Leases leases = leases();
        assertThat(leases.inherits(POOL, FACTORY, FutureTask.class)).isTrue();

        leases.change(rules("*FutureTask"));
        assertThat(leases.inherits(POOL, FACTORY, FutureTask.class)).isFalse();

        leases.change(rules());
        assertThat(leases.inherits(POOL, FACTORY, FutureTask.class)).isTrue();
    }

    private static Leases leases(String... exclude) {
        return new Leases(rules(exclude), null, null, null, null, () -> {}, (library, why) -> {});
    }

    private static Rules rules(String... exclude) {
        return new Rules(
                Mode.ENFORCE,
                false,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                List.of(),
                List.of(),
                List.of(),
                new Propagation(List.of(exclude)),
                "test");
    }
}
