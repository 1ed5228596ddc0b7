/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The lock is given up before the transaction commits: case B7, https://github.com/redisson/redisson/issues/2183. */
class EarlyUnlockIT {
    private static void unlocksBeforeItCommits(World world) throws Exception {
        Service a = world.service("a");
        Service b = world.service("b");
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
        a.tries("rollback");
        b.finishesWell("read 1");
        b.does("write 1");
        b.does("commit");
        b.does("unlock order:1");
    }

    @Test
    void theNextHolderWaitsForTheCommitAndBothAreKept() throws Exception {
        Result result = Scenario.of(EarlyUnlockIT::unlocksBeforeItCommits).play();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void withoutTheGuardAtReleaseTheLateCommitIsRefused() throws Exception {
        Result result = Scenario.of(EarlyUnlockIT::unlocksBeforeItCommits)
                .rules(Scenario.RULES.replace("targets:", "    guardAtRelease: false\ntargets:"))
                .play();
        assertThat(result.states()).containsExactly("LF001");
        assertThat(result.refusals())
                .allMatch(line -> line.startsWith("a: failed commit"), "the commit after the unlock");
        assertThat(result.increments()).isEqualTo(1);
    }

    @Test
    void aWriteAfterTheUnlockIsGuardedToo() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("read 1");
                    a.does("unlock order:1");
                    b.does("lock order:1");
                    b.does("begin");
                    b.starts("read 1");
                    world.hasAnsweredOrWaits(b);
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    b.finishesWell("read 1");
                    b.does("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .play();
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: "), "the healthy holder is not refused");
    }
}
