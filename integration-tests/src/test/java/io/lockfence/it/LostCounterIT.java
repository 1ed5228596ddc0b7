/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Redis forgets its locks, its counters, or one step of a counter: case B3, and rules P2, P5 and P6 of the protocol. */
class LostCounterIT {
    @Test
    void redisIsRestartedEmptyUnderAHolder() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("lock order:1 80000");
                    a.does("begin");
                    a.does("read 1");
                    world.redis().restart();
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("increment order:1 1 0");
                })
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the forgotten holder");
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void theNextHoldersTokenIsBehindTheFenceAndIsRaised() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("increment order:1 1 0");
                    long ahead = world.moveTokenCounters();
                    a.does("lock order:1 80000");
                    a.does("begin");
                    a.does("read 1");
                    world.redis().restart();
                    b.does("increment order:1 1 0");
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("increment order:1 1 0");
                    if (world.fenced()) {
                        assertThat(world.tokenCounters())
                                .allMatch(counter -> counter > ahead, "raised above the fence");
                    }
                })
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the forgotten holder");
        assertThat(result.increments()).isEqualTo(4);
    }

    @Test
    void theSameTokenIsIssuedTwice() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("increment order:1 1 0");
                    long counter = world.moveTokenCounters();
                    a.does("lock order:1 8000");
                    a.does("begin");
                    a.does("read 1");
                    world.setTokenCounters(counter);
                    b.tries("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("increment order:1 1 0");
                })
                .play();
        assertThat(result.states()).contains("LF005");
        assertThat(result.refusals())
                .anyMatch(line -> line.startsWith("b: ") && line.contains("LF005"), "the second owner of the token");
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void aHoldIsLostAndTakenAgainByTheSameThread() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    world.redis().command("DEL", "order:1");
                    b.does("increment order:1 1 0");
                    // A fresh hold: what was read under the lost one is stale all the same.
                    a.does("lock order:1");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock order:1");
                    a.tries("unlock order:1");
                    a.does("increment order:1 1 0");
                })
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the holder that had lost it");
        assertThat(result.increments()).isEqualTo(2);
    }
}
