/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Redis cannot be reached while the database can: case B1, https://github.com/redisson/redisson/issues/3636. */
class PartitionIT {
    @Test
    void aHolderThatIsCutOffFromRedisIsRefusedAsSoonAsItsLeaseHasEnded() throws Exception {
        Result result = Scenario.of(world -> {
                    TcpProxy network = world.redisProxy();
                    Service a = world.service(
                            "a", network.port(), world.database().port(), "--redis-timeout=1000", "--redis-retries=0");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    network.cut();
                    b.does("increment order:1 1 0");
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    network.heal();
                })
                .play();
        assertThat(result.states()).containsExactly("LF002");
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: "), "only the holder that was cut off");
        assertThat(result.increments()).isEqualTo(2);
    }

    /** The agent's own claim, and the guard, need the database only. */
    @Test
    void aHolderThatIsCutOffWithinItsLeaseGoesOn() throws Exception {
        Result result = Scenario.of(world -> {
                    TcpProxy network = world.redisProxy();
                    Service a = world.service(
                            "a", network.port(), world.database().port(), "--redis-timeout=1000", "--redis-retries=0");
                    a.does("lock order:1 80000");
                    network.cut();
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    a.does("commit");
                    network.heal();
                })
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.stored()).isEqualTo(1);
    }
}
