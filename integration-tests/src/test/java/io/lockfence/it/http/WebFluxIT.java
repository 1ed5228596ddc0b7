/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.example.http.Adapters;
import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Server;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.reactornetty.ReactorNettyLibrary;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Spring WebFlux on Reactor Netty, three lines of it, against scripted effects: woven in this JVM, its schedulers' executors are not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebFluxIT {
    private static final String PROBLEM = "\"title\":\"The lease is stale\"";

    private final WovenAdapters adapters = new WovenAdapters(new ReactorNettyLibrary());
    private final Map<String, Running> servers = new HashMap<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private record Running(Server server, String url, AtomicReference<Handler> handler) {}

    /** What a row is run with. */
    private record World(Running running, ScriptedAgent agent) {
        void handler(Handler handler) {
            running.handler().set(handler);
        }
    }

    private interface Row {
        void run(World world) throws Exception;
    }

    @TestFactory
    Stream<DynamicContainer> requestsIn() {
        return Adapters.versions("webflux").stream()
                .map(version -> DynamicContainer.dynamicContainer(
                        version,
                        Stream.of(
                                row("WebFluxOnLoop", version, "a request is received as it came", this::received),
                                row("WebFluxOnLoop", version, "the service runs under its leases", this::underLeases),
                                row("WebFluxOnLoop", version, "a hundred at once never mix", this::neverMixed),
                                row(
                                        "WebFluxOnLoop",
                                        version,
                                        "the event loop does not wait for a reception",
                                        this::loopGoesOn),
                                row("WebFluxServer", version, "an answered request is not seen by it", this::early),
                                row("WebFluxServer", version, "its own error after a refusal", this::lateAnswered),
                                row("WebFluxServer", version, "its exception after a refusal", this::lateThrown),
                                row("WebFluxServer", version, "a failure that is no refusal", this::failed))));
    }

    @AfterAll
    void stop() throws Exception {
        for (Running running : servers.values()) {
            running.server().close();
        }
    }

    @AfterEach
    void nothingIsLeftOnAnyThread() throws Exception {
        Awaited.until(() -> LeaseContext.threads() == 0 && LeaseContext.active() == 0);
    }

    private DynamicTest row(String server, String version, String title, Row row) {
        return dynamicTest(title, () -> {
            try (ScriptedAgent agent = new ScriptedAgent()) {
                Running running = servers.computeIfAbsent(server + "@webflux-" + version, this::start);
                try {
                    row.run(new World(running, agent));
                } finally {
                    agent.faults.forEach(Throwable::printStackTrace);
                }
                assertThat(agent.faults).isEmpty();
                assertThat(agent.leftOver).isEmpty();
            }
        });
    }

    private Running start(String name) {
        try {
            Server server = adapters.server(name);
            AtomicReference<Handler> handler = new AtomicReference<>();
            int port = server.start(request -> handler.get().handle(request));
            return new Running(
                    server, "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port, handler);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<HttpResponse<String>> put(World world, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(world.running().url() + path))
                .header("Fencing-Token", "\"a\";token=\"1\"")
                .PUT(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).orTimeout(60, TimeUnit.SECONDS);
    }

    private void received(World world) throws Exception {
        List<String> heard = new ArrayList<>();
        world.agent().receiving = incoming -> {
            heard.add(incoming.method() + " " + incoming.path() + " " + incoming.header("fencing-token") + " "
                    + incoming.peer() + " "
                    + Thread.currentThread().getName().replaceAll("\\d+", ""));
            return null;
        };
        world.handler(request -> Reply.text(201, request.method() + " " + request.path() + " " + request.body()));
        HttpResponse<String> response =
                put(world, "/st%6Fck;v=1/a%20b?x=y", "tür".repeat(30_000)).get();
        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.body()).startsWith("PUT /").endsWith("tür".repeat(30_000));
        assertThat(heard)
                .containsExactly("PUT /stock/a b [\"a\";token=\"1\"] "
                        + InetAddress.getLoopbackAddress().getHostAddress() + " lockfence-worker-");
    }

    private void underLeases(World world) throws Exception {
        Lease lease = world.agent().lease("callers");
        world.agent().receiving = incoming -> ScriptedAgent.under(lease);
        world.handler(request -> Reply.text(200, List.of(LeaseContext.current()).toString()));
        assertThat(put(world, "/a", "x").get().body()).isEqualTo(List.of(lease).toString());
        assertThat(put(world, "/a", "x".repeat(100_000)).get().body())
                .isEqualTo(List.of(lease).toString());
        world.agent().receiving = null;
        assertThat(put(world, "/a", "x").get().body()).isEqualTo("[]");
    }

    private void neverMixed(World world) throws Exception {
        Map<String, Lease> leases = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            leases.put("/" + i, world.agent().lease("callers" + i));
        }
        world.agent().receiving = incoming -> ScriptedAgent.under(leases.get(incoming.path()));
        world.handler(request -> Reply.text(200, List.of(LeaseContext.current()).toString()));
        Map<String, CompletableFuture<HttpResponse<String>>> answers = new HashMap<>();
        leases.keySet().forEach(path -> answers.put(path, put(world, path, "x".repeat(10_000))));
        for (Map.Entry<String, CompletableFuture<HttpResponse<String>>> answer : answers.entrySet()) {
            assertThat(answer.getValue().get().body())
                    .isEqualTo(List.of(leases.get(answer.getKey())).toString());
        }
    }

    /** There are no more event loops than processors; as many and one more wait. */
    private void loopGoesOn(World world) throws Exception {
        int waiting = Runtime.getRuntime().availableProcessors() + 5;
        CountDownLatch all = new CountDownLatch(waiting);
        world.agent().receiving = incoming -> {
            all.countDown();
            try {
                assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return null;
        };
        world.handler(request -> Reply.text(200, request.body()));
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            answers.add(put(world, "/" + i, "body " + i));
        }
        for (int i = 0; i < waiting; i++) {
            assertThat(answers.get(i).get().body()).isEqualTo("body " + i);
        }
    }

    private void early(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.answered(412);
        world.handler(request -> {
            throw new AssertionError("it came");
        });
        assertAnswered(put(world, "/a", "x".repeat(100_000)).get());
        assertAnswered(put(world, "/a", "").get());
        world.agent().receiving = null;
        world.handler(request -> Reply.text(200, "fine"));
        assertThat(put(world, "/a", "x").get().body()).isEqualTo("fine");
    }

    private void lateAnswered(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        world.handler(request -> Reply.text(500, "the guard refused"));
        assertAnswered(put(world, "/a", "x").get());
        world.handler(request -> Reply.text(503, ""));
        assertAnswered(put(world, "/a", "x").get());
        world.handler(request -> Reply.text(200, "fine"));
        assertThat(put(world, "/a", "x").get().body()).isEqualTo("fine");
    }

    private void lateThrown(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        world.handler(request -> {
            throw new IllegalStateException("the guard refused");
        });
        assertAnswered(put(world, "/a", "x").get());
    }

    private void failed(World world) throws Exception {
        world.agent().receiving = incoming -> null;
        world.handler(request -> Reply.text(500, "out of stock"));
        HttpResponse<String> response = put(world, "/a", "x").get();
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).isEqualTo("out of stock");
    }

    private static void assertAnswered(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(412);
        assertThat(response.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(response.body()).contains(PROBLEM);
    }
}
