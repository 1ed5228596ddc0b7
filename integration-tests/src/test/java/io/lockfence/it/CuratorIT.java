/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A service whose locks are Apache Curator's, on a real ZooKeeper: its session ends while it is stopped, or cut off, and the service goes on writing. */
class CuratorIT {
    private static final String RULES = """
            mode: enforce
            locks:
              - name: orders
                library: curator
                key: "/locks/{id}"
                resource: "orders/{id}"
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;
    private static final String LEADERS = """
            mode: enforce
            locks:
              - name: orders
                library: curator
                key: "/leaders/{id}"
                resource: "orders/{id}"
                scope: process
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;
    private static final int SESSION_MILLIS = 4_000;
    private static final String SESSION = "--lease=" + SESSION_MILLIS;

    @Test
    void stoppedBetweenReadAndWrite() throws Exception {
        Result result = Scenario.of(CuratorIT::stopBetweenReadAndWrite)
                .rules(RULES)
                .serviceOptions(SESSION)
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void stopBetweenReadAndWrite(World world) throws InterruptedException {
        Service a = world.curator("a", world.zooKeeper().address());
        Service b = world.curator("b", world.zooKeeper().address());
        warmedUp(a);
        warmedUp(b);
        a.does("lock 1");
        a.does("begin");
        a.does("read 1");
        a.isStopped();
        b.does("increment 1 1");
        b.does("increment 1 1");
        a.wakesUp();
        a.tries("write 1");
        a.tries("commit");
        a.tries("rollback");
        a.tries("unlock 1");
        b.does("increment 1 1");
    }

    /**
     * Cases B11 and B13: the holder is not told that its session has ended. It is cut off from ZooKeeper, which drops its node after the session's time; Curator says LOST
     * seconds later, and the service listens to neither.
     */
    @Test
    void cutOffFromZooKeeperWhileTheDatabaseCanBeReached() throws Exception {
        Result result = Scenario.of(world -> cutOff(world, "curator"))
                .rules(RULES)
                .serviceOptions(SESSION)
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the one cut off");
        assertThat(result.increments()).isEqualTo(3);
    }

    /** Case B13, of leaders: another one leads before Curator tells the first that it does no more. */
    @Test
    void aLeaderIsCutOffAndAnotherOneLeads() throws Exception {
        Result result = Scenario.of(world -> cutOff(world, "curator-leader"))
                .rules(LEADERS)
                .serviceOptions(SESSION)
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the one cut off");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void cutOff(World world, String style) throws InterruptedException {
        TcpProxy wire = world.zooKeeperProxy();
        Service a = world.homemade("a", style, "--zookeeper=127.0.0.1:" + wire.port());
        Service b =
                world.homemade("b", style, "--zookeeper=" + world.zooKeeper().address());
        warmedUp(a);
        warmedUp(b);
        a.does("lock 1");
        a.does("begin");
        a.does("read 1");
        wire.cut();
        b.does("increment 1 1");
        b.does("increment 1 1");
        a.tries("write 1");
        a.tries("commit");
        a.tries("rollback");
        wire.heal();
        a.tries("unlock 1");
        b.does("increment 1 1");
    }

    /** Nothing of a healthy holder is refused, however long it works. */
    @Test
    void aHolderThatWorksForLongerThanItsSessionIsNotRefused() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.curator("a", world.zooKeeper().address());
                    warmedUp(a);
                    a.does("lock 1");
                    a.does("begin");
                    long until = System.nanoTime()
                            + Duration.ofMillis(3L * SESSION_MILLIS).toNanos();
                    while (System.nanoTime() < until) {
                        a.does("read 1");
                    }
                    a.does("write 1");
                    a.does("commit");
                    a.does("unlock 1");
                    a.does("increment 1 1");
                })
                .rules(RULES)
                .serviceOptions(SESSION)
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }

    /** What a JVM loads and connects at its first use takes a busy machine longer than a session. */
    private static void warmedUp(Service service) throws InterruptedException {
        for (String command : new String[] {"lock warm-up", "begin", "read 1", "rollback", "unlock warm-up"}) {
            service.tries(command);
        }
    }
}
