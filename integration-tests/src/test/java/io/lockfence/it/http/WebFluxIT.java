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
import io.lockfence.bootstrap.Reception;
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
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
                                row(
                                        "WebFluxOnLoop",
                                        version,
                                        "without a token it is received where it came",
                                        this::onLoop),
                                row("WebFluxOnLoop", version, "a fault of ours lets no token by", this::ourFault),
                                row("WebFluxOnLoop", version, "more than can wait are turned away", this::overload),
                                row(
                                        "WebFluxOnLoop",
                                        version,
                                        "what no enforced rule names is never turned away",
                                        this::neverTurnedAway),
                                row(
                                        "WebFluxOnLoop",
                                        version,
                                        "a request without a lease has turns",
                                        this::withoutLease),
                                row("WebFluxBounded", version, "a loop that is full is waited for", this::fullLoop),
                                row("ReactorNettyServer", version, "a head that was sent stays", this::headSent),
                                row("WebFluxServer", version, "an answered request is not seen by it", this::early),
                                row("WebFluxServer", version, "its own error after a refusal", this::lateAnswered),
                                row("WebFluxServer", version, "its exception after a refusal", this::lateThrown),
                                row("WebFluxServer", version, "a failure that is no refusal", this::failed),
                                row("WebFluxAnnotated", version, "errors of controllers", this::controllers))));
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
            Server server = adapters.server(name.replace("WebFluxBounded", "WebFluxOnLoop"));
            AtomicReference<Handler> handler = new AtomicReference<>();
            int port;
            if (name.startsWith("WebFluxBounded")) {
                // Read once, by the first classes of this class loader that need them.
                System.setProperty("io.netty.eventLoop.maxPendingTasks", "16");
                System.setProperty("reactor.netty.ioWorkerCount", "1");
            }
            try {
                port = server.start(request -> handler.get().handle(request));
            } finally {
                System.clearProperty("io.netty.eventLoop.maxPendingTasks");
                System.clearProperty("reactor.netty.ioWorkerCount");
            }
            return new Running(
                    server, "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port, handler);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<HttpResponse<String>> put(World world, String path, String body) {
        return send(request(world, path, body).header("Fencing-Token", "\"a\";token=\"1\""));
    }

    private static HttpRequest.Builder request(World world, String path, String body) {
        return HttpRequest.newBuilder(URI.create(world.running().url() + path))
                .PUT(HttpRequest.BodyPublishers.ofString(body));
    }

    private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .orTimeout(60, TimeUnit.SECONDS);
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
                        + InetAddress.getLoopbackAddress().getHostAddress() + " lockfence-worker-reception-");
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
            await(all);
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

    private void onLoop(World world) throws Exception {
        List<String> heard = new ArrayList<>();
        world.agent().receiving = incoming -> {
            heard.add(Thread.currentThread().getName());
            return incoming.path().equals("/no") ? ScriptedAgent.answered(412) : null;
        };
        world.handler(request -> Reply.text(200, Thread.currentThread().getName()));
        HttpResponse<String> response = send(request(world, "/a", "x")).get();
        assertThat(heard).containsExactly(response.body());
        assertThat(response.body()).startsWith("reactor-http-");
        world.handler(request -> {
            throw new AssertionError("it came");
        });
        assertAnswered(send(request(world, "/no", "x".repeat(100_000))).get());
        assertThat(heard).hasSize(2).allMatch(thread -> thread.startsWith("reactor-http-"));
    }

    private void ourFault(World world) throws Exception {
        world.agent().receiving = incoming -> {
            throw new IllegalStateException("a bug");
        };
        AtomicInteger came = new AtomicInteger();
        world.handler(request -> Reply.text(200, "came " + came.incrementAndGet()));
        assertTurnedAway(put(world, "/a", "x").get());
        assertThat(came).hasValue(0);
        assertThat(send(request(world, "/a", "x")).get().body()).isEqualTo("came 1");
        assertThat(world.agent().faults).hasSize(2).allMatch(fault -> "a bug".equals(fault.getMessage()));
        world.agent().faults.clear();
    }

    private void neverTurnedAway(World world) throws Exception {
        world.agent().insists = incoming -> false;
        for (HttpResponse<String> answer : overloaded(world)) {
            assertThat(answer.body()).isEqualTo("body");
        }
        world.agent().receiving = incoming -> {
            throw new IllegalStateException("a bug");
        };
        assertThat(put(world, "/a", "x").get().body()).isEqualTo("x");
        assertThat(world.agent().faults).hasSize(1).allMatch(fault -> "a bug".equals(fault.getMessage()));
        world.agent().faults.clear();
    }

    private void withoutLease(World world) throws Exception {
        Reception reception = ScriptedAgent.under();
        world.agent().receiving = incoming -> reception;
        world.handler(request -> Reply.text(200, String.valueOf(LeaseContext.currentReception() == reception)));
        for (String body : List.of("x", "x".repeat(100_000))) {
            assertThat(put(world, "/a", body).get().body()).isEqualTo("true");
            assertThat(send(request(world, "/a", body)).get().body()).isEqualTo("true");
        }
    }

    private void overload(World world) throws Exception {
        int away = 0;
        for (HttpResponse<String> answer : overloaded(world)) {
            if (answer.statusCode() == 503) {
                assertTurnedAway(answer);
                away++;
            } else {
                assertThat(answer.body()).isEqualTo("body");
            }
        }
        assertThat(away).isEqualTo(5);
    }

    /** What five more requests with a token get than can wait, and those that wait. */
    private List<HttpResponse<String>> overloaded(World world) throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(5);
        world.agent().receiving = incoming -> {
            await(released);
            return null;
        };
        world.handler(request -> Reply.text(200, request.body()));
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        try {
            for (int i = 0; i < 64 + 1024 + 5; i++) {
                CompletableFuture<HttpResponse<String>> answer = put(world, "/" + i, "body");
                answers.add(answer);
                answer.thenRun(answered::countDown);
            }
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            released.countDown();
        }
        List<HttpResponse<String>> got = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            got.add(answer.get());
        }
        assertThat(world.agent().faults).as("overload is no fault of ours").isEmpty();
        assertThat(world.agent().leftOver).hasSize(5).allMatch(told -> told.startsWith("degraded too many requests"));
        world.agent().leftOver.clear();
        return got;
    }

    private static void assertTurnedAway(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("retry-after")).contains("1");
        assertThat(response.headers().firstValue("content-type")).contains("application/problem+json");
    }

    /** The one loop stands still, and takes no more tasks, while receptions want to go on on it. */
    private void fullLoop(World world) throws Exception {
        int count = 5;
        CountDownLatch all = new CountDownLatch(count);
        CountDownLatch full = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        world.agent().receiving = incoming -> {
            if (!incoming.path().equals("/stand")) {
                all.countDown();
                await(full);
            }
            return null;
        };
        world.handler(request -> {
            if (request.path().equals("/stand")) {
                fill(thisLoop());
                full.countDown();
                await(go);
            }
            return Reply.text(200, request.body());
        });
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(put(world, "/" + i, "body " + i));
        }
        await(all);
        CompletableFuture<HttpResponse<String>> standing = send(request(world, "/stand", "x"));
        try {
            Awaited.until(() -> Thread.getAllStackTraces().entrySet().stream()
                            .filter(thread -> thread.getKey().getName().startsWith("lockfence-worker-reception-")
                                    && List.of(thread.getValue()).toString().contains("Received.hand"))
                            .count()
                    == count);
        } finally {
            go.countDown();
        }
        for (int i = 0; i < count; i++) {
            assertThat(answers.get(i).get().body()).isEqualTo("body " + i);
        }
        assertThat(standing.get().statusCode()).isEqualTo(200);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The event loop that the current thread is, of the service's netty. */
    private static Executor thisLoop() throws ReflectiveOperationException {
        return (Executor) Class.forName(
                        "io.netty.util.internal.ThreadExecutorMap",
                        true,
                        Thread.currentThread().getContextClassLoader())
                .getMethod("currentExecutor")
                .invoke(null);
    }

    private static void fill(Executor loop) {
        try {
            while (true) {
                loop.execute(() -> {});
            }
        } catch (RejectedExecutionException e) {
            // Full.
        }
    }

    private void headSent(World world) throws Exception {
        world.handler(request -> Reply.text(500, "head first"));
        // Later versions end an answer with its head.
        String body = put(world, "/head-first", "x").get().body();
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        HttpResponse<String> response = put(world, "/head-first", "x").get();
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).isEqualTo(body);
        assertAnswered(put(world, "/whole", "x").get());
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

    private void controllers(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        world.handler(request -> {
            throw new IllegalStateException("the guard refused");
        });
        assertAnswered(put(world, "/plain/a", "x").get());
        assertAnswered(put(world, "/advised/a", "x").get());
        world.agent().receiving = incoming -> null;
        HttpResponse<String> advised = put(world, "/advised/a", "x").get();
        assertThat(advised.statusCode()).isEqualTo(500);
        assertThat(advised.body()).isEqualTo("advised: the guard refused");
        world.handler(request -> Reply.text(200, "fine"));
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        assertThat(put(world, "/plain/a", "x").get().body()).isEqualTo("fine");
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
