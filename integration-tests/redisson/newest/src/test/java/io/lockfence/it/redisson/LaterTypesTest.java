/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.bootstrap.Lease;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.RedissonFasterMultiLock;
import org.redisson.api.RLock;

/** Lock types that Redisson got after 3.17.7. */
@Timeout(60)
class LaterTypesTest extends WithRedisson {
    @Test
    void nonReentrantLocksAreFenced() {
        for (RLock lock : List.of(redisson.getNonReentrantLock(fresh()), redisson.getNonReentrantFairLock(fresh()))) {
            int before = recorder.begun.size();
            lock.lock(20, TimeUnit.SECONDS);
            Lease lease = here().get(0);

            assertThatThrownBy(lock::lock).isInstanceOf(IllegalMonitorStateException.class);

            assertThat(recorder.begun).hasSize(before + 1);
            assertThat(here()).containsExactly(lease);
            assertThat(lease.death()).isNull();
            lock.unlock();
            assertThat(here()).isEmpty();
        }
        assertThat(recorder.degraded).isEmpty();
    }

    @Test
    void fasterMultiLocksAreReported() {
        String group = fresh();
        RLock lock =
                new RedissonFasterMultiLock(((Redisson) redisson).getCommandExecutor(), group, List.of("one", "two"));

        lock.lock(20, TimeUnit.SECONDS);
        lock.unlock();

        assertThat(recorder.unsupported).contains("RedissonFasterMultiLock " + group);
        assertThat(here()).isEmpty();
    }
}
