/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Services that run without the agent, until the command line brings it: on the oldest and on the newest JDK by turns. */
class AttachIT {
    private static final String LOAD_RULES = Scenario.RULES.replace("order:{id}", "stock:{id}");

    /** Connections and their transactions are as old as the service: they come from its pool. */
    @Test
    void aLeaseTakenAfterwardsIsFencedOnConnectionsOpenedBefore() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    a.warmedUp();
                    b.warmedUp();
                    world.attach(a);
                    world.attach(b);
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
                    a.does("increment order:1 1 0");
                    if (world.fenced()) {
                        try (AgentBean agent = new AgentBean(a.process())) {
                            assertThat(agent.number("AdoptedConnections"))
                                    .as(agent.summary())
                                    .isPositive();
                            assertThat(agent.number("Faults"))
                                    .as(agent.summary())
                                    .isZero();
                        }
                    }
                })
                .attached()
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(4);
    }

    @Test
    void aLeaseTakenBeforeIsUnknownAndNeverRefused() throws Exception {
        Result result = Scenario.of(world -> {
                    Service a = world.service("a");
                    Service b = world.service("b");
                    b.warmedUp();
                    a.does("lock order:1");
                    a.does("begin");
                    a.does("sql SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                    a.does("read 1");
                    a.does("@other lock order:2 600000");
                    world.attach(a);
                    world.attach(b);
                    // Entered once more: the hold is the one of before.
                    a.does("lock order:1");
                    a.does("write 1");
                    a.does("unlock order:1");
                    a.does("commit");
                    a.does("unlock order:1");
                    a.does("@other unlock order:2");
                    b.does("increment order:1 1 0");
                    try (AgentBean agent = new AgentBean(a.process())) {
                        assertThat(agent.number("UnknownHolds"))
                                .as(agent.summary())
                                .isEqualTo(2);
                        assertThat(agent.number("LeasesAcquired"))
                                .as(agent.summary())
                                .isZero();
                        a.does("increment order:1 1 0");
                        assertThat(agent.number("LeasesAcquired"))
                                .as(agent.summary())
                                .isEqualTo(1);
                        assertThat(agent.sum("Claims")).as(agent.summary()).isEqualTo(1);
                        assertThat(agent.number("Faults")).as(agent.summary()).isZero();
                    }
                    assertThat(a.process().count("lock 'order:1' is held since before"))
                            .isEqualTo(1);
                })
                .attached()
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(3);
        assertThat(result.lost()).isZero();
    }

    /** A driver keeps no password, and the pool opens no connection for half an hour. */
    @Test
    void claimsConnectWithThePasswordThatThePoolKnows() throws Exception {
        Result result = Scenario.of(world -> {
                    world.database().createRoleWithPassword("guarded", "let-me-in");
                    Service a = world.service("a", "--user=guarded", "--password=let-me-in");
                    a.warmedUp();
                    world.attach(a);
                    a.does("increment order:1 1 0");
                    try (AgentBean agent = new AgentBean(a.process())) {
                        assertThat(agent.number("AdoptedConnections"))
                                .as(agent.summary())
                                .isPositive();
                        assertThat(agent.sum("Claims")).as(agent.summary()).isEqualTo(1);
                        assertThat(agent.number("Faults")).as(agent.summary()).isZero();
                    }
                })
                .attached()
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.lost()).isZero();
    }

    @Test
    void loadGoesOnThroughTheAttachAndThroughChangesOfModeAndRules() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("load seed: " + seed);
        Result result = Scenario.of(world -> {
                    List<Service> services = List.of(world.service("a"), world.service("b"));
                    for (Service service : services) {
                        service.starts("load 8 " + World.ITEMS + " 40 " + seed);
                    }
                    for (Service service : services) {
                        Waits.until(
                                "the load is under way",
                                Duration.ofSeconds(60),
                                () -> world.redis().command("KEYS", "stock:*").contains("stock:"));
                        world.attach(service);
                    }
                    for (Service service : services) {
                        Path wrong = Files.createTempFile("lockfence-wrong", ".yaml");
                        Files.writeString(wrong, LOAD_RULES.replace("resource:", "resorce:"));
                        CommandLine refused = world.attachWith(service, "--rules", wrong.toString());
                        Files.delete(wrong);
                        assertThat(refused.exit()).as(refused.output()).isEqualTo(1);
                        assertThat(refused.output()).contains("unknown key 'resorce'", "did you mean 'resource'?");
                        assertThat(world.attachWith(service).mustBeFine())
                                .contains("mode enforce, rules: " + world.rules(), "redisson", "postgresql");
                        assertThat(world.attachWith(service, "--mode", "observe")
                                        .mustBeFine())
                                .contains("mode observe");
                        assertThat(world.attachWith(service, "--mode", "shadow").mustBeFine())
                                .contains("mode shadow");
                        assertThat(world.attachWith(service, "--mode", "enforce")
                                        .mustBeFine())
                                .contains("mode enforce");
                    }
                    for (Service service : services) {
                        assertThat(service.process()
                                        .await("load increments=.*", Duration.ofSeconds(180))
                                        .group())
                                .contains(" failures=0 ");
                        try (AgentBean agent = new AgentBean(service.process())) {
                            assertThat(agent.number("LeasesAcquired"))
                                    .as(agent.summary())
                                    .isPositive();
                            assertThat(agent.number("RefusalsTotal"))
                                    .as(agent.summary())
                                    .isZero();
                            assertThat(agent.sum("WouldHaveRefused"))
                                    .as(agent.summary())
                                    .isZero();
                            assertThat(agent.number("Faults"))
                                    .as(agent.summary())
                                    .isZero();
                        }
                    }
                })
                .rules(LOAD_RULES)
                .serviceOptions("--watchdog=30000")
                .attached()
                .playFenced();
        assertThat(result.lost()).as(result.output()).isZero();
        assertThat(result.refusals()).isEmpty();
        System.out.println("attached under load: " + result.increments() + " increments");
    }

    /** Classes with methods that rules name are loaded long before. */
    @Test
    void locksOfTheServicesOwnAreFencedFromTheAttachOn() throws Exception {
        Result result = Scenario.of(world -> {
                    // Longer than two attaches, and than a first use after one, on a busy machine.
                    Service a = world.homemade("a", "client-jedis", "--lease=12000");
                    Service b = world.homemade("b", "client-jedis", "--lease=12000");
                    for (Service service : List.of(a, b)) {
                        service.does("increment warm-up 2");
                    }
                    a.does("lock 3");
                    world.attach(a);
                    world.attach(b);
                    a.does("keep 3");
                    a.does("lock 1");
                    a.does("begin");
                    a.does("read 1");
                    a.isStopped();
                    b.does("increment 1 1");
                    a.wakesUp();
                    a.tries("write 1");
                    a.tries("commit");
                    a.tries("rollback");
                    a.tries("unlock 1");
                    b.does("increment 1 1");
                    if (world.fenced()) {
                        try (AgentBean agent = new AgentBean(a.process())) {
                            assertThat(agent.number("UnknownHolds"))
                                    .as(agent.summary())
                                    .isEqualTo(1);
                            assertThat(agent.number("Faults"))
                                    .as(agent.summary())
                                    .isZero();
                        }
                    }
                })
                .rules("""
                        mode: enforce
                        targets:
                          - name: stock-db
                            jdbc: "jdbc:postgresql://**"
                        locks:
                          - name: orders
                            acquire: com.example.homemade.LockClient#acquire(java.lang.String,java.time.Duration)
                            resource: "orders/{arg0}"
                            lease: arg1
                            renew: com.example.homemade.LockClient#extend(java.lang.String,java.time.Duration)
                            release: com.example.homemade.LockClient#release(java.lang.String)
                        """)
                .attached()
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
    }

    /** The operator's emergency brake: what was about to be refused goes through, and is lost as it would be without an agent. */
    @Test
    void modeObserveStopsRefusingAtOnceEvenUnderLeasesTakenBefore() throws Exception {
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
                    a.wakesUp();
                    world.attachWith(a, "--mode", "observe").mustBeFine();
                    a.does("write 1");
                    a.does("commit");
                    // Not even after the brake was let go: its lease has not been claimed for since.
                    world.attachWith(a, "--mode", "enforce").mustBeFine();
                    a.does("begin");
                    a.does("write 1");
                    a.does("commit");
                    a.tries("unlock order:1");
                    a.does("increment order:1 1 0");
                })
                .playFenced();
        assertThat(result.refusals()).isEmpty();
    }
}
