/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.example.http.Adapters;
import com.example.http.Client;
import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Server;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.grpc.GrpcLibrary;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** gRPC, both sides, oldest and newest, against scripted effects. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrpcIT {
    private final WovenAdapters adapters = new WovenAdapters(new GrpcLibrary());
    private final Map<String, Running> servers = new HashMap<>();
    private final Map<String, Client> clients = new HashMap<>();

    @TestFactory
    Stream<DynamicContainer> callsOut() {
        return each(client -> Stream.of(
                row(client, "without a lease a call is as it is", this::noLease),
                row(client, "under leases it carries their tokens", this::leases),
                row(client, "a call that is made once and sent thrice", this::reused),
                row(client, "a dead lease lets nothing out", this::dead),
                row(client, "a host that no rule names", this::outside),
                row(client, "what is called back is under the call's leases", this::calledBack)));
    }

    @TestFactory
    Stream<DynamicContainer> callsIn() {
        return each(client -> Stream.of(
                row(client, "a call is received as it came", this::received),
                row(client, "the service runs under the call's leases", this::underLeases),
                row(client, "a call that is answered never reaches the service", this::early),
                row(client, "what the service throws after a refusal is answered with it", this::lateThrown),
                row(client, "what the service closes after a refusal is answered with it", this::lateClosed),
                row(client, "a failure that is no refusal stays what it is", this::failed)));
    }

    @TestFactory
    Stream<DynamicContainer> attempts() {
        return Adapters.versions("grpc").stream()
                .map(version -> "@grpc-" + version)
                .map(version -> DynamicContainer.dynamicContainer(
                        version,
                        Stream.of(
                                row("GrpcRetrying" + version, "each retry carries one token", this::retried),
                                row("GrpcRetrying" + version, "a lease that dies in between", this::diesInBetween),
                                row("GrpcRetrying" + version, "a stale call is not tried again", this::stale),
                                row("GrpcHedging" + version, "each hedged attempt carries one token", this::hedged),
                                row("GrpcDeadline" + version, "a call with a deadline", this::deadline),
                                row("GrpcBlocking" + version, "a fault of ours lets no token by", this::ourFault))));
    }

    private void retried(World world) throws Exception {
        Lease lease = world.agent().lease("a");
        Queue<Object> heard = new ConcurrentLinkedQueue<>();
        world.handler().set(request -> {
            heard.add(request.headers().get("fencing-token"));
            return heard.size() < 3 ? Reply.text(503, "not yet") : Reply.text(200, "now");
        });
        assertThat(world.send("/stock.Stock/Put", List.of(lease)).body()).isEqualTo("now");
        List<String> one = List.of(ScriptedAgent.header(lease));
        assertThat(heard).containsExactly(one, one, one);
    }

    private void diesInBetween(World world) {
        Lease lease = world.agent().lease("a");
        AtomicInteger came = new AtomicInteger();
        world.handler().set(request -> {
            came.incrementAndGet();
            lease.die(Lease.Death.LOST, "the test says so");
            return Reply.text(503, "not yet");
        });
        Throwable thrown = catchThrowable(() -> world.send("/stock.Stock/Put", List.of(lease)));
        assertThat(thrown).hasMessageStartingWith("FAILED_PRECONDITION: ").hasMessageContaining("is dead");
        assertThat(came).hasValue(1);
    }

    private void stale(World world) throws Exception {
        AtomicInteger came = new AtomicInteger();
        world.agent().receiving = incoming -> {
            came.incrementAndGet();
            return ScriptedAgent.answered(412);
        };
        assertAnswered(world);
        assertThat(came).hasValue(1);
    }

    private void hedged(World world) throws Exception {
        Lease lease = world.agent().lease("a");
        Queue<Object> heard = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(3);
        world.handler().set(request -> {
            heard.add(request.headers().get("fencing-token"));
            all.countDown();
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            return Reply.text(200, "now");
        });
        assertThat(world.send("/stock.Stock/Put", List.of(lease)).body()).isEqualTo("now");
        List<String> one = List.of(ScriptedAgent.header(lease));
        assertThat(heard).containsExactly(one, one, one);
    }

    private void deadline(World world) throws Exception {
        Lease lease = world.agent().lease("a");
        assertThat(world.send("/stock.Stock/Put", List.of(lease)).body()).isEqualTo(ScriptedAgent.header(lease));
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        world.agent().receiving = incoming -> ScriptedAgent.under(lease);
        world.handler().set(request -> {
            assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
            ended.countDown();
            return Reply.text(500, "too late");
        });
        assertThat(catchThrowable(() -> world.send("/stock.Stock/Put", List.of(lease))))
                .hasMessageStartingWith("DEADLINE_EXCEEDED");
        over.countDown();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void ourFault(World world) throws Exception {
        Lease lease = world.agent().lease("a");
        world.agent().receiving = incoming -> {
            throw new IllegalStateException("a bug");
        };
        AtomicInteger came = new AtomicInteger();
        world.handler().set(request -> Reply.text(200, "came " + came.incrementAndGet()));
        assertThat(world.send("/stock.Stock/Put", List.of(lease)).status()).isEqualTo(503);
        assertThat(came).hasValue(0);
        assertThat(world.send("/stock.Stock/Put", List.of()).body()).isEqualTo("came 1");
        assertThat(world.agent().faults).hasSize(2).allMatch(fault -> "a bug".equals(fault.getMessage()));
        world.agent().faults.clear();
    }

    /** A server that runs, one for each version. */
    private record Running(Server server, String url, AtomicReference<Handler> handler) {}

    private Running start(String version) {
        try {
            Server server = adapters.server("GrpcServer" + version);
            AtomicReference<Handler> handler = new AtomicReference<>();
            int port = server.start(request -> handler.get().handle(request));
            return new Running(server, "http://localhost:" + port, handler);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    void stop() throws Exception {
        for (Client client : clients.values()) {
            client.close();
        }
        for (Running server : servers.values()) {
            server.server().close();
        }
    }

    @AfterEach
    void nothingIsLeftOnAnyThread() throws Exception {
        Awaited.until(() -> LeaseContext.threads() == 0 && LeaseContext.active() == 0);
    }

    private static Stream<DynamicContainer> each(java.util.function.Function<String, Stream<DynamicNode>> rows) {
        return Adapters.versions("grpc").stream()
                .flatMap(version -> Stream.of("GrpcBlocking", "GrpcStreaming")
                        .map(style -> style + "@grpc-" + version)
                        .map(client -> DynamicContainer.dynamicContainer(client, rows.apply(client))));
    }

    /** What a row is run with. */
    private record World(Client client, String url, ScriptedAgent agent, AtomicReference<Handler> handler) {
        Reply send(String path, List<Lease> leases) throws Exception {
            return ScriptedAgent.under(leases, () -> client.send("PUT", url + path, "x"));
        }
    }

    private interface Row {
        void run(World world) throws Exception;
    }

    private DynamicTest row(String name, String title, Row row) {
        return dynamicTest(title, () -> {
            Handler handler = request -> Reply.text(
                    200, String.join(" | ", request.headers().getOrDefault("fencing-token", List.of("none"))));
            try (ScriptedAgent agent = new ScriptedAgent()) {
                Running server = servers.computeIfAbsent(name.substring(name.indexOf('@')), this::start);
                server.handler().set(handler);
                Client client = clients.computeIfAbsent(name, adapters::client);
                row.run(new World(client, server.url(), agent, server.handler()));
                assertThat(agent.faults).isEmpty();
                assertThat(agent.leftOver).isEmpty();
            }
        });
    }

    private void noLease(World world) throws Exception {
        assertThat(world.send("/stock.Stock/Put", List.of()).body()).isEqualTo("none");
        assertThat(world.agent().asked).isEmpty();
    }

    private void leases(World world) throws Exception {
        Lease first = world.agent().lease("a");
        Lease second = world.agent().lease("b");
        assertThat(world.send("/stock.Stock/Put", List.of(first, second)).body())
                .isEqualTo(ScriptedAgent.header(first, second));
        assertThat(world.agent().asked)
                .allMatch(("POST " + world.url() + "/stock.Stock/Put")::equals)
                .hasSizeGreaterThan(1);
    }

    private void calledBack(World world) throws Exception {
        Queue<List<Lease>> found = new ConcurrentLinkedQueue<>();
        if (!world.client().calledBack(() -> found.add(List.of(LeaseContext.current())))) {
            return;
        }
        for (boolean looks : List.of(true, false)) {
            world.agent().looks = looks;
            Lease lease = world.agent().lease("a");
            assertThat(world.send("/stock.Stock/Put", List.of(lease)).body())
                    .isEqualTo(looks ? ScriptedAgent.header(lease) : "none");
            assertThat(found).hasSize(2).allMatch(List.of(lease)::equals);
            found.clear();
            lease.die(Lease.Death.LOST, "the test says so");
            Throwable thrown = catchThrowable(() -> world.send("/stock.Stock/Put", List.of(lease)));
            assertThat(thrown != null).isEqualTo(looks);
            assertThat(found).isNotEmpty().allMatch(List.of(lease)::equals);
            found.clear();
        }
        world.client().calledBack(() -> {});
    }

    private void reused(World world) throws Exception {
        Lease first = world.agent().lease("a");
        Lease second = world.agent().lease("a");
        Client.Call call = world.client().build("PUT", world.url() + "/stock.Stock/Put", "x");
        assertThat(ScriptedAgent.under(List.of(first), call::send).body()).isEqualTo(ScriptedAgent.header(first));
        assertThat(ScriptedAgent.under(List.of(second), call::send).body()).isEqualTo(ScriptedAgent.header(second));
        assertThat(call.send().body()).isEqualTo("none");
    }

    private void dead(World world) {
        Lease lease = world.agent().lease("a");
        lease.die(Lease.Death.LOST, "the test says so");
        world.handler().set(request -> {
            throw new AssertionError("it came");
        });
        Throwable thrown = catchThrowable(() -> world.send("/stock.Stock/Put", List.of(lease)));
        assertThat(thrown).hasMessageStartingWith("FAILED_PRECONDITION: ").hasMessageContaining("is dead");
        assertThat(thrown.getCause()).isInstanceOf(FencedException.class);
    }

    private void outside(World world) throws Exception {
        Lease lease = world.agent().lease("a");
        assertThat(world.send("/outside.Stock/Put", List.of(lease)).body()).isEqualTo("none");
    }

    private void received(World world) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        world.agent().receiving = incoming -> {
            try {
                assertIncoming(incoming);
            } catch (Throwable t) {
                failure.set(t);
            }
            return null;
        };
        Lease lease = world.agent().lease("a");
        assertThat(world.send("/stock.Stock/Put", List.of(lease)).status()).isEqualTo(200);
        assertThat(failure.get()).isNull();
    }

    private static void assertIncoming(Incoming incoming) {
        assertThat(incoming.method()).isEqualTo("POST");
        assertThat(incoming.path()).isEqualTo("/stock.Stock/Put");
        assertThat(incoming.header("Fencing-Token")).hasSize(1);
        assertThat(incoming.header("X-Other")).isEmpty();
        assertThat(InetAddress.getLoopbackAddress().getHostAddress()).isEqualTo(incoming.peer());
    }

    private void underLeases(World world) throws Exception {
        Lease lease = world.agent().lease("callers");
        world.agent().receiving = incoming -> ScriptedAgent.under(lease);
        world.handler()
                .set(request -> Reply.text(200, List.of(LeaseContext.current()).toString()));
        assertThat(world.send("/stock.Stock/Put", List.of()).body())
                .isEqualTo(List.of(lease).toString());
        world.agent().receiving = null;
        assertThat(world.send("/stock.Stock/Put", List.of()).body()).isEqualTo("[]");
    }

    private void early(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.answered(412);
        world.handler().set(request -> {
            throw new AssertionError("it came");
        });
        assertAnswered(world);
    }

    private void lateThrown(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        world.handler().set(request -> {
            throw new IllegalStateException("the guard refused");
        });
        assertAnswered(world);
    }

    private void lateClosed(World world) throws Exception {
        world.agent().receiving = incoming -> ScriptedAgent.under(world.agent().lease("callers"));
        world.handler().set(request -> Reply.text(500, "the guard refused"));
        assertAnswered(world);
    }

    private static void assertAnswered(World world) throws Exception {
        Reply reply = world.send("/stock.Stock/Put", List.of());
        assertThat(reply.status()).isEqualTo(412);
        assertThat(reply.body()).contains("\"title\":\"The lease is stale\"");
    }

    private void failed(World world) {
        world.agent().receiving = incoming -> null;
        world.handler().set(request -> Reply.text(500, "out of stock"));
        assertThat(catchThrowable(() -> world.send("/stock.Stock/Put", List.of())))
                .hasMessage("INTERNAL: out of stock");
    }
}
