/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.example.http.Adapters;
import com.example.http.Client;
import com.example.http.Reply;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.apache4.Apache4Library;
import io.lockfence.instrumentation.apache5.Apache5Library;
import io.lockfence.instrumentation.jettyclient.JettyClientLibrary;
import io.lockfence.instrumentation.okhttp.OkHttpLibrary;
import io.lockfence.instrumentation.reactornetty.ReactorNettyLibrary;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** What each asynchronous client of HTTP does with the leases of the thread that asks, against scripted effects: every version, woven in this JVM. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasedClientsIT {
    private final WovenAdapters adapters = new WovenAdapters(
            new JettyClientLibrary(),
            new ReactorNettyLibrary(),
            new OkHttpLibrary(),
            new Apache4Library(),
            new Apache5Library());
    private final Map<String, Client> clients = new HashMap<>();

    @TestFactory
    Stream<DynamicContainer> jettysClient() {
        return Adapters.versions("jetty-client").stream().map(version -> rows("JettyBlocking@jetty-client-" + version));
    }

    @TestFactory
    Stream<DynamicContainer> springsWebClientOnReactorNetty() {
        return Adapters.versions("webflux").stream().map(version -> rows("WebClientBlocking@webflux-" + version));
    }

    /** Whose headers {@link ClientsIT} looks at. */
    @TestFactory
    Stream<DynamicContainer> whatOtherClientsCallBack() {
        return Stream.of("OkHttpAsync@okhttp", "Apache4Async@apache4async", "Apache5Async@apache5")
                .flatMap(client -> Adapters.versions(client.substring(client.indexOf('@') + 1)).stream()
                        .map(version -> client + "-" + version))
                .map(client -> DynamicContainer.dynamicContainer(client, calledBack(client)));
    }

    @AfterAll
    void close() throws Exception {
        for (Client client : clients.values()) {
            client.close();
        }
    }

    @AfterEach
    void nothingIsLeftOnAnyThread() {
        assertThat(LeaseContext.threads()).isZero();
        assertThat(LeaseContext.active()).isZero();
    }

    private DynamicContainer rows(String client) {
        Stream<DynamicNode> rows = Stream.of(
                row(client, "without a lease it is sent as it is", this::noLease),
                row(client, "under a lease it carries its token once", this::oneLease),
                row(client, "under two leases it carries both", this::twoLeases),
                row(client, "a request that is made once and sent thrice", this::reused),
                row(client, "a dead lease lets nothing out", this::dead),
                row(client, "a redirect within the rule's hosts", this::redirected),
                row(client, "a redirect that leaves the rule's hosts", this::redirectedAway),
                row(client, "a lease that dies while the request waits for a connection", this::queued));
        return DynamicContainer.dynamicContainer(client, Stream.concat(rows, calledBack(client)));
    }

    private Stream<DynamicNode> calledBack(String client) {
        return Stream.of(
                row(client, "what it calls back is under the lease", this::follows),
                row(client, "it is where no rule looks at requests, too", this::followsUnasked),
                row(client, "the failure of a request that is refused is told under the lease", this::followsRefusal),
                row(client, "what its work has outlived is on no thread, and refuses nothing", this::outlived));
    }

    private interface Row {
        void run(Client client, RecordingServer server, ScriptedAgent agent) throws Exception;
    }

    private DynamicTest row(String name, String title, Row row) {
        return dynamicTest(title, () -> {
            try (RecordingServer server = new RecordingServer();
                    ScriptedAgent agent = new ScriptedAgent()) {
                row.run(clients.computeIfAbsent(name, adapters::client), server, agent);
                assertThat(agent.faults).isEmpty();
            }
        });
    }

    private void noLease(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        assertThat(client.send("POST", server.url("/a"), "x").status()).isEqualTo(204);
        assertThat(server.seen).containsExactly(new RecordingServer.Seen("POST", "/a", List.of()));
        assertThat(agent.asked).isEmpty();
    }

    private void oneLease(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        Reply reply = ScriptedAgent.under(List.of(lease), () -> client.send("POST", server.url("/a"), "x"));
        assertThat(reply.status()).isEqualTo(204);
        assertThat(server.seen)
                .containsExactly(new RecordingServer.Seen("POST", "/a", List.of(ScriptedAgent.header(lease))));
        assertThat(agent.asked).allMatch(("POST " + server.url("/a"))::equals).hasSizeGreaterThan(1);
    }

    private void twoLeases(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease first = agent.lease("a");
        Lease second = agent.lease("b");
        ScriptedAgent.under(List.of(first, second), () -> client.send("GET", server.url("/a"), null));
        assertThat(server.seen)
                .containsExactly(new RecordingServer.Seen("GET", "/a", List.of(ScriptedAgent.header(first, second))));
    }

    private void reused(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease first = agent.lease("a");
        Lease second = agent.lease("a");
        Client.Call call = client.build("PUT", server.url("/a"), "x");
        ScriptedAgent.under(List.of(first), call::send);
        ScriptedAgent.under(List.of(second), call::send);
        call.send();
        assertThat(server.seen.stream().map(RecordingServer.Seen::tokens))
                .containsExactly(
                        List.of(ScriptedAgent.header(first)), List.of(ScriptedAgent.header(second)), List.of());
    }

    private void dead(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        lease.die(Lease.Death.LOST, "the test says so");
        assertRefused(catchThrowable(
                () -> ScriptedAgent.under(List.of(lease), () -> client.send("PUT", server.url("/a"), "x"))));
        assertThat(server.seen).isEmpty();
        assertThat(client.send("PUT", server.url("/b"), "x").status()).isEqualTo(204);
    }

    private void redirected(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        ScriptedAgent.under(List.of(lease), () -> client.send("GET", server.url("/moved"), null));
        List<String> token = List.of(ScriptedAgent.header(lease));
        assertThat(server.seen)
                .containsExactly(
                        new RecordingServer.Seen("GET", "/moved", token),
                        new RecordingServer.Seen("GET", "/here", token));
    }

    private void redirectedAway(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        ScriptedAgent.under(List.of(lease), () -> client.send("GET", server.url("/away"), null));
        assertThat(server.seen)
                .containsExactly(
                        new RecordingServer.Seen("GET", "/away", List.of(ScriptedAgent.header(lease))),
                        new RecordingServer.Seen("GET", "/outside", List.of()));
    }

    private void follows(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        assertThat(calledBack(client, server, lease)).isNotEmpty().allMatch(List.of(lease)::equals);
        assertThat(calledBack(client, server)).isNotEmpty().allMatch(List::isEmpty);
        assertThat(server.seen.stream().map(RecordingServer.Seen::tokens))
                .containsExactly(List.of(ScriptedAgent.header(lease)), List.of());
    }

    private void followsUnasked(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        agent.looks = false;
        Lease lease = agent.lease("a");
        assertThat(calledBack(client, server, lease)).isNotEmpty().allMatch(List.of(lease)::equals);
        assertThat(server.seen.stream().map(RecordingServer.Seen::tokens)).containsExactly(List.of());
        assertThat(agent.asked).isEmpty();
    }

    private void followsRefusal(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        lease.die(Lease.Death.LOST, "the test says so");
        assertRefused(catchThrowable(() -> calledBack(client, server, lease)));
        if (client.toldOfFailure() != null) {
            assertRefused(client.toldOfFailure());
        }
        assertThat(seenBack).allMatch(List.of(lease)::equals);
    }

    private void outlived(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        agent.outlived = agent.lease("outlived");
        LeaseContext.activate();
        try {
            assertThat(calledBack(client, server)).isNotEmpty().allMatch(List::isEmpty);
            agent.bug = new IllegalStateException("the test says so");
            assertThat(calledBack(client, server)).isNotEmpty().allMatch(List::isEmpty);
        } finally {
            LeaseContext.deactivate();
        }
        assertThat(server.seen).hasSize(2);
        assertThat(agent.outlived.death()).isNull();
        assertThat(agent.faults).isNotEmpty().allMatch(fault -> fault == agent.bug);
        agent.faults.clear();
    }

    /** The leases that each callback of a call found on its thread. */
    private final Queue<List<Lease>> seenBack = new ConcurrentLinkedQueue<>();

    private Queue<List<Lease>> calledBack(Client client, RecordingServer server, Lease... leases) throws Exception {
        seenBack.clear();
        assertThat(client.calledBack(() -> seenBack.add(List.of(LeaseContext.current()))))
                .isTrue();
        Reply reply = ScriptedAgent.under(List.of(leases), () -> client.send("POST", server.url("/pieces"), "x"));
        assertThat(reply.status()).isEqualTo(200);
        return seenBack;
    }

    /** The first request holds the client's only connection. */
    private void queued(Client client, RecordingServer server, ScriptedAgent agent) throws Exception {
        Lease lease = agent.lease("a");
        CompletableFuture<Reply> slow = send(client, server.url("/slow"), List.of());
        assertThat(server.slowReached.await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Reply> waiting = send(client, server.url("/a"), List.of(lease));
        Awaited.until(() -> !agent.asked.isEmpty());
        lease.die(Lease.Death.LOST, "the test says so");
        server.slow.countDown();
        assertThat(slow.get(30, TimeUnit.SECONDS).status()).isEqualTo(204);
        Throwable refused = catchThrowable(() -> waiting.get(30, TimeUnit.SECONDS));
        assertThat(refused).isInstanceOf(ExecutionException.class);
        assertRefused(refused.getCause());
        assertThat(server.seen.stream().map(RecordingServer.Seen::path)).containsExactly("/slow");
        assertThat(client.send("PUT", server.url("/b"), "x").status()).isEqualTo(204);
    }

    private static CompletableFuture<Reply> send(Client client, String url, List<Lease> leases) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                reply.complete(ScriptedAgent.under(leases, () -> client.send("PUT", url, "x")));
            } catch (Exception e) {
                reply.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return reply;
    }

    static void assertRefused(Throwable thrown) {
        assertThat(thrown).isExactlyInstanceOf(IOException.class).hasMessageContaining("is dead");
        assertThat(thrown.getCause()).isInstanceOf(FencedException.class);
    }
}
