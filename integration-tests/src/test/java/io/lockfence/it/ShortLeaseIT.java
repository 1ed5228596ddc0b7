/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The lease is shorter than the work: case B6, https://github.com/redisson/redisson/issues/2269. */
class ShortLeaseIT {
    @Test
    void aTransactionThatTakesLongerThanItsLease() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("lock order:1 4000");
                    a.does("begin");
                    a.does("read 1");
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock order:1");
                    a.does("increment order:1 1 0");
                })
                .play();
        assertThat(result.states()).isSubsetOf("LF001", "LF002").isNotEmpty();
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: "), "only the late holder");
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void anAutocommittedWriteAfterTheLease() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.does("trylock order:1 0 4000");
                    a.does("read 1");
                    b.does("increment order:1 1 0");
                    a.tries("write 1");
                })
                .play();
        assertThat(result.refusals()).singleElement().asString().startsWith("a: failed write: LF00");
        assertThat(result.increments()).isEqualTo(1);
    }

    private static void commitsAfterItsLeaseWhichNobodyTook(World world) throws Exception {
        Service a = world.service("a");
        a.does("lock order:1 4000");
        a.does("begin");
        a.does("read 1");
        a.does("write 1");
        Waits.until(
                "the lease has ended",
                Duration.ofSeconds(20),
                () -> world.redis().command("EXISTS", "order:1").equals("0"));
        a.tries("commit");
        a.tries("rollback");
    }

    @Test
    void aLateCommitIsRefusedEvenIfNobodyTookTheLock() throws Exception {
        Result result =
                Scenario.of(ShortLeaseIT::commitsAfterItsLeaseWhichNobodyTook).playFenced();
        assertThat(result.states()).containsExactly("LF002");
        assertThat(result.stored()).isZero();
    }

    @Test
    void aLateCommitGoesThroughIfTheRulesLeaveItToTheGuardAndNobodyTookTheLock() throws Exception {
        Result result = Scenario.of(ShortLeaseIT::commitsAfterItsLeaseWhichNobodyTook)
                .rules(Scenario.RULES + "    expired: guard\n")
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.stored()).isEqualTo(1);
        assertThat(result.increments()).isEqualTo(1);
    }
}
