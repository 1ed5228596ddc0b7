/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A holder is stopped (SIGSTOP) beyond its lease and woken again: cases B4 and B17 of the research. */
class PausedHolderIT {
    @Test
    void stoppedBetweenLockAndReadWhileAnotherOwnerIsAtWork() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.isStopped();
                    b.does("lock order:1");
                    b.does("begin");
                    b.does("read 1");
                    a.wakesUp();
                    a.tries("begin");
                    a.tries("read 1");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.does("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }

    @Test
    void stoppedBetweenReadAndWrite() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment order:1 1 0");
                    b.does("increment order:1 1 0");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock order:1");
                    b.does("increment order:1 1 0");
                })
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(3);
    }

    @Test
    void stoppedBetweenTheLastWriteAndTheCommit() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    a.isStopped();
                    b.does("lock order:1");
                    b.does("begin");
                    b.does("read 1");
                    // Waits for the row that the stopped transaction has written.
                    b.starts("write 1");
                    a.wakesUp();
                    a.tries("commit");
                    a.tries("rollback");
                    b.finishesWell("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }
}
