/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A service whose locks are jetcd's, on a real etcd 3.4: its lease ends while it is stopped, cut off or waiting, and the service goes on writing. */
class EtcdIT {
    private static final String RULES = """
            mode: enforce
            locks:
              - name: orders
                library: etcd
                key: "locks/{id}"
                resource: "orders/{id}"
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;
    private static final int TTL_MILLIS = 4_000;
    private static final String TTL = "--lease=" + TTL_MILLIS;

    @Test
    void stoppedBetweenReadAndWrite() throws Exception {
        Result result = Scenario.of(EtcdIT::stopBetweenReadAndWrite)
                .rules(RULES)
                .serviceOptions(TTL)
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void stopBetweenReadAndWrite(World world) throws InterruptedException {
        Service a = world.etcd("a", world.etcd().endpoint());
        Service b = world.etcd("b", world.etcd().endpoint());
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

    @Test
    void cutOffFromEtcdWhileTheDatabaseCanBeReached() throws Exception {
        Result result =
                Scenario.of(EtcdIT::cutOff).rules(RULES).serviceOptions(TTL).play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the one cut off");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void cutOff(World world) throws InterruptedException {
        try (TcpProxy wire = new TcpProxy(world.etcd().port())) {
            Service a = world.etcd("a", "http://127.0.0.1:" + wire.port());
            Service b = world.etcd("b", world.etcd().endpoint());
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
    }

    /** Case B14: a waiter whose lease has ended is told by etcd 3.4 that it has the lock. */
    @Test
    void toldAcquiredAfterItsLeaseHasEnded() throws Exception {
        Result result =
                Scenario.of(EtcdIT::ghost).rules(RULES).serviceOptions(TTL).play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("b: "), "only the ghost");
        assertThat(result.refusals()).allMatch(line -> line.contains("owns nothing"), "told why");
        assertThat(result.increments()).isEqualTo(2);
    }

    private static void ghost(World world) throws InterruptedException {
        Service a = world.etcd("a", world.etcd().endpoint());
        Service b = world.homemade("b", "etcd-patient", "--etcd=" + world.etcd().endpoint());
        Service c = world.etcd("c", world.etcd().endpoint());
        warmedUp(a);
        warmedUp(b);
        warmedUp(c);
        a.does("lock 1");
        b.starts("lock 1");
        Waits.until("b waits in the line", Duration.ofSeconds(20), () -> waiters(world) == 2);
        Waits.until("b's lease has ended", Duration.ofSeconds(20), () -> waiters(world) == 1);
        a.does("unlock 1");
        b.finishes("lock 1");
        b.does("begin");
        b.tries("read 1");
        c.does("increment 1 1");
        c.does("increment 1 1");
        b.tries("write 1");
        b.tries("commit");
        b.tries("rollback");
        b.tries("unlock 1");
    }

    private static long waiters(World world) {
        return world.etcd()
                .keys("locks/1/")
                .lines()
                .filter(line -> !line.isBlank())
                .count();
    }

    /** The revisions begin again: the next holder has a lower token than the fence has seen. */
    @Test
    void afterARestoreNoLowerTokenIsAccepted() throws Exception {
        Result result =
                Scenario.of(EtcdIT::restored).rules(RULES).serviceOptions(TTL).playFenced();
        assertThat(result.refusals())
                .isNotEmpty()
                .anyMatch(line -> line.startsWith("a: "), "the holder of before")
                .anyMatch(line -> line.startsWith("b: ") && line.contains("LF001"), "the next one");
        assertThat(result.increments()).isEqualTo(1);
        assertThat(result.lost()).isZero();
    }

    private static void restored(World world) throws InterruptedException {
        Service a = world.etcd("a", world.etcd().endpoint());
        Service b = world.etcd("b", world.etcd().endpoint());
        warmedUp(b);
        Path snapshot = world.etcd().snapshot();
        warmedUp(a);
        warmedUp(a);
        a.does("increment 1 1");
        a.does("lock 1");
        a.does("begin");
        a.does("read 1");
        world.etcd().restore(snapshot);
        // Its key is not there any more; whether it has been told by now or not, its write must not be lost upon the
        // next one.
        b.tries("increment 1 1");
        a.tries("write 1");
        a.tries("commit");
        a.tries("rollback");
        a.tries("unlock 1");
    }

    /** Nothing of a healthy holder is refused, however long it works. */
    @Test
    void aHolderThatWorksForLongerThanItsLeaseIsNotRefused() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.etcd("a", world.etcd().endpoint());
                    warmedUp(a);
                    a.does("lock 1");
                    a.does("begin");
                    long until = System.nanoTime()
                            + Duration.ofMillis(3L * TTL_MILLIS).toNanos();
                    while (System.nanoTime() < until) {
                        a.does("read 1");
                    }
                    a.does("write 1");
                    a.does("commit");
                    a.does("unlock 1");
                    a.does("increment 1 1");
                })
                .rules(RULES)
                .serviceOptions(TTL)
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }

    /** What a JVM loads and connects at its first use takes a busy machine longer than a lease. */
    private static void warmedUp(Service service) throws InterruptedException {
        for (String command : new String[] {"lock warm-up", "begin", "read 1", "rollback", "unlock warm-up"}) {
            service.tries(command);
        }
    }
}
