/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Services whose locks are PostgreSQL's advisory locks, taken on a connection of HikariCP while they work on another one: the session that holds the lock ends, and the service goes on
 * writing.
 */
class AdvisoryLocksIT {
    private static final String RULES = """
            mode: enforce
            locks:
              - name: orders
                library: postgresql-advisory
                key: "{id}"
                resource: "orders/{id}"
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;

    /** Case B20. */
    @Test
    void theSessionThatHoldsTheLockIsKilledBetweenReadAndWrite() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.homemade("a", "advisory");
                    Service b = world.homemade("b", "advisory");
                    warmedUp(a);
                    warmedUp(b);
                    a.does("lock 1");
                    a.does("begin");
                    a.does("read 1");
                    kill(world, 1);
                    b.does("increment 1 1");
                    b.does("increment 1 1");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock 1");
                    b.does("increment 1 1");
                    a.does("increment 1 1");
                })
                .rules(RULES)
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the holder of before");
        assertThat(result.states()).containsExactly("LF001");
        assertThat(result.increments()).isEqualTo(4);
    }

    /** The same, with the oldest server, and a holder that is stopped meanwhile. */
    @Test
    void theSessionIsKilledWhileItsServiceIsStopped() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.homemade("a", "advisory");
                    Service b = world.homemade("b", "advisory");
                    warmedUp(a);
                    warmedUp(b);
                    a.does("lock 1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    kill(world, 1);
                    b.does("increment 1 1");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock 1");
                    a.does("increment 1 1");
                })
                .rules(RULES)
                .oldestPostgres()
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the holder of before");
        assertThat(result.increments()).isEqualTo(2);
    }

    /** The lock goes back to the pool with its connection, whose session then ends. */
    @Test
    void theLockIsLeftOnAConnectionOfThePool() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.homemade("a", "advisory-by-statement");
                    Service b = world.homemade("b", "advisory");
                    warmedUp(a);
                    warmedUp(b);
                    // What works has its connection already: the lock is left on another.
                    a.does("begin");
                    a.does("lock 1");
                    a.does("read 1");
                    kill(world, 1);
                    b.does("increment 1 1");
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock 1");
                    // The first may have found the killed connection.
                    a.tries("unlock 1");
                    a.does("increment 1 1");
                })
                .rules(RULES)
                .play();
        assertThat(result.refusals())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("a: "), "only the holder of before");
        assertThat(result.increments()).isEqualTo(2);
        assertThat(result.output())
                .contains("lock '1' is orphaned: its connection was given back to its pool")
                .contains("lock '1' of postgresql-advisory was given back and was not held");
    }

    /** Nobody is refused while all goes well. */
    @Test
    void healthyHoldersAreNotRefused() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.homemade("a", "advisory");
                    Service b = world.homemade("b", "advisory");
                    for (int i = 0; i < 20; i++) {
                        a.does("increment 1 1");
                        b.does("increment 1 1");
                    }
                    a.does("lock 2");
                    a.does("lock 1");
                    a.does("begin");
                    a.does("read 1");
                    a.does("write 1");
                    a.does("commit");
                    a.does("unlock 1");
                    a.does("unlock 2");
                })
                .rules(RULES)
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(41);
        assertThat(result.lost()).isZero();
    }

    /** What a JVM loads and connects at its first use takes a busy machine its time. */
    private static void warmedUp(Service service) throws InterruptedException {
        for (String command : new String[] {"lock 1000", "begin", "read 1", "rollback", "unlock 1000"}) {
            service.does(command);
        }
    }

    /** Ends the session that holds the lock. */
    private static void kill(World world, int key) throws SQLException {
        long ended = world.database()
                .number(
                        "postgres",
                        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                                + " AND mode = 'ExclusiveLock' AND classid = 0 AND objsubid = 1 AND objid = " + key);
        assertThat(ended).as("sessions that held lock " + key).isEqualTo(1);
    }
}
