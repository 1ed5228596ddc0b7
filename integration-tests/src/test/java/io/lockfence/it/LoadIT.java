/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Load without faults: 4 JVMs of 8 threads, 20 locks. Nothing may be refused, nothing lost, nothing left over. 30 s a run; 150 s, ten minutes
 * in all, with {@code -Dlockfence.load=full}; or as many seconds as it says.
 */
class LoadIT {
    private static final String RULES = Scenario.RULES.replace("order:{id}", "stock:{id}");
    private static final int SECONDS = seconds(System.getProperty("lockfence.load", "short"));

    @Test
    void newestLibraries() throws Exception {
        load(RULES, (world, name) -> world.service(name));
    }

    @Test
    void oldestLibraries() throws Exception {
        load(RULES, (world, name) -> world.oldService(name));
    }

    @Test
    void bothTogether() throws Exception {
        load(RULES, (world, name) -> name.compareTo("c") < 0 ? world.service(name) : world.oldService(name));
    }

    /** Shadow mode takes tokens, claims and guards, and would have refused nothing. */
    @Test
    void shadowMode() throws Exception {
        load(RULES.replace("mode: enforce", "mode: shadow"), (world, name) -> world.service(name));
    }

    private static int seconds(String load) {
        return switch (load) {
            case "short" -> 30;
            case "full" -> 150;
            default -> Integer.parseInt(load);
        };
    }

    private interface Start {
        Service service(World world, String name);
    }

    private static void load(String rules, Start start) throws Exception {
        long seed = new Random().nextLong();
        System.out.println("load seed: " + seed);
        Result result = Scenario.of(world -> {
                    List<Service> services = new ArrayList<>();
                    for (String name : List.of("a", "b", "c", "d")) {
                        services.add(start.service(world, name));
                    }
                    String command = "load 8 " + World.ITEMS + " " + SECONDS + " " + seed;
                    for (Service service : services) {
                        service.starts(command);
                    }
                    for (Service service : services) {
                        assertThat(service.process()
                                        .await("load increments=.*", Duration.ofSeconds(SECONDS + 120))
                                        .group())
                                .contains(" failures=0 ");
                    }
                    for (Service service : services) {
                        service.does("shutdown");
                        leavesNothing(service);
                    }
                })
                .rules(rules)
                .serviceOptions("--watchdog=30000")
                .playFenced();
        assertThat(result.lost()).as(result.output()).isZero();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).as("work done, seed %d", seed).isGreaterThan(SECONDS * 10L);
        System.out.println("load: " + result.increments() + " increments in " + SECONDS + " s");
    }

    private static void leavesNothing(Service service) throws Exception {
        try (AgentBean agent = new AgentBean(service.process())) {
            for (String gauge : List.of("LiveLeases", "TransactionsUnderLeases", "TrackedConnections")) {
                Waits.until(
                        gauge + " returns to zero\n" + agent.summary(),
                        Duration.ofSeconds(20),
                        () -> agent.number(gauge) == 0);
            }
            for (String counter : List.of("RefusalsTotal", "Faults", "UnsupportedLocks")) {
                assertThat(agent.number(counter))
                        .as(counter + "\n" + agent.summary())
                        .isZero();
            }
            assertThat(agent.sum("WouldHaveRefused")).as(agent.summary()).isZero();
            assertThat(agent.number("LeasesAcquired")).as(agent.summary()).isPositive();
        }
    }
}
