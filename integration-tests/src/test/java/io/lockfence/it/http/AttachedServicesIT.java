/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.AgentBean;
import io.lockfence.it.Scenario;
import io.lockfence.it.ServiceProcess;
import io.lockfence.it.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Services that call each other, in use for a while, until the command line brings the agent: clients and servers of the JDK and of a library are loaded,
 * their connections open.
 */
class AttachedServicesIT {
    private static final List<String> SERVERS = List.of("JdkServer", "TomcatServer@tomcat-11.0.29");
    private static final List<String> CLIENTS = List.of("JdkSync", "JdkAsync");
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String RULES = Scenario.RULES + """
              - name: services
                http: "http://127.0.0.1:*/**"
            receive:
              - name: stock
                path: "/stock/**"
                methods: [PUT]
                require: true
                trust: network
                from: [127.0.0.0/8]
            """;

    private World world;
    private Caller first;
    private Caller second;
    private Receiver receiver;
    private int item = 1;

    @Test
    void theHeaderRidesFromTheAttachOnAndAStaleOneIsAnswered412() throws Exception {
        try (World opened = Scenario.of(w -> {}).rules(RULES).attached().open(true)) {
            world = opened;
            first = new Caller(world, "first", Map.of());
            second = new Caller(world, "second", Map.of());
            receiver = new Receiver(world, "receiver", Map.of(), SERVERS);
            first.ready();
            second.ready();
            receiver.ready();
            for (String server : SERVERS) {
                for (String client : CLIENTS) {
                    assertThat(late(client, server, 3_000))
                            .as("before the agent came an update is lost")
                            .isEqualTo("put 1");
                }
            }
            for (ServiceProcess process : List.of(first.process(), second.process(), receiver.process())) {
                world.attachWith(process, "--rules", world.rules().toString()).mustBeFine();
            }
            for (String server : SERVERS) {
                for (String client : CLIENTS) {
                    // What the agent loads and connects at its first use takes its time.
                    assertThat(late(client, server, 10_000))
                            .startsWith("answered 412 application/problem+json ")
                            .contains("LF001");
                    assertThat(value(item - 1)).as("the next holder's value").isEqualTo(1);
                }
                assertThat(first.does("main", "put JdkSync " + receiver.url(server) + "/stock/" + item))
                        .as("the receiver asks for a lease")
                        .startsWith("answered 428 ");
            }
            for (ServiceProcess process : List.of(first.process(), second.process(), receiver.process())) {
                try (AgentBean agent = new AgentBean(process)) {
                    assertThat(agent.number("Faults")).as(agent.summary()).isZero();
                }
            }
        }
    }

    private long value(int of) throws Exception {
        return world.database().number(world.databaseName(), "SELECT value FROM stock WHERE id = " + of);
    }

    /** What the late holder is told: its request is held in the network until its lease has ended and the next holder has done its work. */
    private String late(String client, String server, int leaseMillis) throws Exception {
        int mine = item++;
        String lock = "order:" + mine;
        String direct = client + " " + receiver.url(server) + "/stock/" + mine;
        try (Network network = new Network(receiver.port(server))) {
            String held = client + " http://127.0.0.1:" + network.port() + "/stock/" + mine;
            does(first, "lock " + lock + " " + leaseMillis, "locked " + lock);
            does(first, "get " + held, "got 0");
            network.hold();
            first.tell("main", "put " + held);
            network.awaitHeld(LIMIT);
            does(second, "lock " + lock, "locked " + lock);
            does(second, "get " + direct, "got 0");
            does(second, "put " + direct, "put 1");
            does(second, "unlock " + lock, "unlocked " + lock);
            network.release();
            String late = first.hears("main");
            first.does("main", "unlock " + lock);
            return late;
        }
    }

    private static void does(Caller caller, String step, String expected) throws InterruptedException {
        assertThat(caller.does("main", step)).isEqualTo(expected);
    }
}
