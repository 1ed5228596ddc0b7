/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** PostgreSQL 14, Redisson 3.17.7 and the first driver of 42.7, together with the newest libraries. */
class OldestVersionsIT {
    @Test
    void anOldServiceIsStoppedBetweenReadAndWrite() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.oldService("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment order:1 1 0");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock order:1");
                    a.does("increment order:1 1 0");
                })
                .oldestPostgres()
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void aNewServiceIsStoppedWhileAnOldOneGoesOn() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.oldService("b");
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
                    b.starts("write 1");
                    a.wakesUp();
                    a.tries("commit");
                    a.tries("rollback");
                    b.finishesWell("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .oldestPostgres()
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(1);
    }

    @Test
    void unlockBeforeCommitWithTheOldestLibraries() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.oldService("a");
                    Service b = world.oldService("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    a.does("unlock order:1");
                    b.does("lock order:1");
                    b.does("begin");
                    b.starts("read 1");
                    world.hasAnsweredOrWaits(b);
                    a.tries("commit");
                    b.finishesWell("read 1");
                    b.does("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .oldestPostgres()
                .play();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }
}
