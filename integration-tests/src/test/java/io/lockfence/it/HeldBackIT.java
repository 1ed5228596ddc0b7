/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a holder has sent in time arrives only after another owner has claimed, and has read. */
class HeldBackIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void aWriteIsHeldBackInTheNetwork() throws Exception {
        Result result = Scenario.of(HeldBackIT::aWriteIsHeldBack).play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the late holder");
        assertThat(result.increments()).isEqualTo(1);
    }

    /** With {@code expired: guard} nothing is refused for being late: what refuses is the fence alone. */
    @Test
    void aWriteIsHeldBackAndOnlyTheGuardLooks() throws Exception {
        Result result = Scenario.of(HeldBackIT::aWriteIsHeldBack)
                .rules(Scenario.RULES + "    expired: guard\n")
                .play();
        assertThat(result.states()).containsExactly("LF001");
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: failed commit"), "the late commit");
        assertThat(result.increments()).isEqualTo(1);
    }

    private static void aWriteIsHeldBack(World world) throws Exception {
        PostgresProxy network = world.postgresProxy();
        Service a = world.service("a", world.redis().port(), network.port());
        Service b = world.service("b");
        a.does("lock order:1 8000");
        a.does("begin");
        a.does("read 1");
        network.hold("^UPDATE stock");
        a.starts("write 1");
        network.awaitHeld(LIMIT);
        b.does("increment order:1 1 0");
        network.release();
        a.finishesWell("write 1");
        a.tries("commit");
        a.tries("rollback");
    }

    @Test
    void aCommitIsHeldBackTogetherWithItsGuard() throws Exception {
        Result result = Scenario.of(world -> {
                    PostgresProxy network = world.postgresProxy();
                    Service a = world.service("a", world.redis().port(), network.port());
                    Service b = world.service("b");
                    a.does("lock order:1 8000");
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    network.hold("lockfence\\.guard|^COMMIT");
                    a.starts("commit");
                    network.awaitHeld(LIMIT);
                    b.does("lock order:1");
                    b.does("begin");
                    b.does("read 1");
                    // Waits for the row, which the late transaction has written.
                    b.starts("write 1");
                    network.release();
                    a.finishes("commit");
                    a.tries("rollback");
                    b.finishesWell("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .play();
        assertThat(result.states()).containsExactly("LF001");
        assertThat(result.refusals()).allMatch(line -> line.startsWith("a: failed commit"), "the late commit");
        assertThat(result.increments()).isEqualTo(1);
    }

    /** The guard has been there, and only the COMMIT after it is late: the next owner waits for it, and reads what it wrote. */
    @Test
    void aCommitIsHeldBackAfterItsGuard() throws Exception {
        Result result = Scenario.of(world -> {
                    PostgresProxy network = world.postgresProxy();
                    Service a = world.service("a", world.redis().port(), network.port());
                    Service b = world.service("b");
                    a.does("lock order:1 8000");
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    network.hold("^COMMIT");
                    a.starts("commit");
                    network.awaitHeld(LIMIT);
                    b.does("lock order:1");
                    b.does("begin");
                    b.starts("read 1");
                    world.hasAnsweredOrWaits(b);
                    network.release();
                    a.finishesWell("commit");
                    b.finishesWell("read 1");
                    b.does("write 1");
                    b.does("commit");
                    b.does("unlock order:1");
                })
                .play();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void anAutocommittedWriteIsHeldBack() throws Exception {
        Result result = Scenario.of(world -> {
                    PostgresProxy network = world.postgresProxy();
                    Service a = world.service("a", world.redis().port(), network.port());
                    Service b = world.service("b");
                    a.does("lock order:1 8000");
                    a.does("read 1");
                    network.hold("^UPDATE stock");
                    a.starts("write 1");
                    network.awaitHeld(LIMIT);
                    b.does("increment order:1 1 0");
                    network.release();
                    a.finishes("write 1");
                })
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: failed write"), "the late write");
        assertThat(result.increments()).isEqualTo(1);
    }
}
