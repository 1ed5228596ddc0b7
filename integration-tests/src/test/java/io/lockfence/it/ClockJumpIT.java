/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A wall clock jumps: case B18, https://github.com/valkey-io/valkey/issues/2651. */
class ClockJumpIT {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void theClockOfRedisJumpsForwardAndEveryLockExpires() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1 80000");
                    a.does("begin");
                    a.does("read 1");
                    world.jumpOfRedis(HOUR);
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("increment order:1 1 0");
                })
                .fakeRedisClock()
                .play();
        // The holder cannot know: its own lease has not ended. The fence does.
        assertThat(result.states()).containsExactly("LF001");
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: "), "only the first holder");
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void theClockOfRedisJumpsBackAndAnOperatorEmptiesIt() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("increment order:1 1 0");
                    a.does("lock order:1 80000");
                    a.does("begin");
                    a.does("read 1");
                    world.jumpOfRedis(HOUR.negated());
                    // The lock would now stay for an hour. What the counters said is lost with it, and the clock is
                    // behind them.
                    world.redis().command("FLUSHALL");
                    b.does("increment order:1 1 0");
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("increment order:1 1 0");
                })
                .fakeRedisClock()
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the first holder");
        assertThat(result.increments()).isEqualTo(4);
    }

    @Test
    void theClockOfAStoppedServiceJumpsBack() throws Exception {
        Result result = Scenario.of(world -> {
                    FakeClock clock = world.clock();
                    Service a = world.service("a", clock);
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment order:1 1 0");
                    clock.jump(HOUR.negated());
                    a.wakesUp();
                    world.jump(a, clock, HOUR.negated());
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                })
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }

    @Test
    void aHealthyServiceIsNotRefusedWhenItsClockJumpsEitherWay() throws Exception {
        Result result = Scenario.of(world -> {
                    FakeClock clock = world.clock();
                    Service a = world.service("a", clock);
                    a.warmedUp();
                    for (Duration jump : new Duration[] {HOUR, HOUR.negated(), Duration.ZERO}) {
                        a.does("lock order:1 20000");
                        a.does("begin");
                        a.does("read 1");
                        world.jump(a, clock, jump);
                        a.does("write 1");
                        a.does("commit");
                        a.does("unlock order:1");
                    }
                })
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.stored()).isEqualTo(3);
    }
}
