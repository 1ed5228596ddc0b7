/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import com.example.http.Adapters;
import com.example.http.Client;
import com.example.http.Reply;
import com.example.http.server.UndertowTls;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.it.http.ScriptedRequests.Held;
import io.lockfence.it.http.StubServer.Seen;
import io.lockfence.it.units.Rows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What holds for each HTTP client, in a JVM under the agent: every row for each of the clients that are named. */
public final class ClientContract {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });

    private final ScriptedRequests script;
    private final String name;
    private final Client client;
    private final StubServer server;

    private ClientContract(ScriptedRequests script, String name, Client client, StubServer server) {
        this.script = script;
        this.name = name;
        this.client = client;
        this.server = server;
    }

    /** @param arguments a key store with the certificate of the server, then clients as {@link Adapters} names them */
    public static void main(String[] arguments) throws Exception {
        for (String store : List.of("javax.net.ssl.keyStore", "javax.net.ssl.trustStore")) {
            System.setProperty(store, arguments[0]);
            System.setProperty(store + "Password", Certificate.PASSWORD);
        }
        ScriptedRequests script = ScriptedRequests.connect();
        awaitWeaving(script);
        Adapters adapters = new Adapters();
        try (Secure secure = new Secure(adapters)) {
            for (String name : List.of(arguments).subList(1, arguments.length)) {
                try (StubServer server = new StubServer();
                        Client client = adapters.client(name)) {
                    ClientContract contract = new ClientContract(script, name, client, server);
                    if (name.startsWith("Secure")) {
                        contract.rows(secure);
                    } else if (name.startsWith("Tight")) {
                        contract.rows();
                        // Apache's asynchronous client 5.0 does not get through TLS to this server, Lockfence or not.
                        if (!name.equals("TightApache5Async@apache5-5.0")) {
                            contract.rows(secure);
                        }
                    } else {
                        contract.basics();
                    }
                }
            }
        }
        Rows.row("no faults", () -> Rows.check(script.faults().isEmpty(), "faults: " + script.faults()));
        Rows.row(
                "nothing is left on any thread", () -> await("threads have leases", () -> LeaseContext.threads() == 0));
        // What was chained to a call that failed is forgotten when it is collected.
        Rows.row(
                "nothing is counted any more",
                () -> await("counted", () -> {
                    System.gc();
                    LeaseContext.forgetEnded();
                    return LeaseContext.active() == 0;
                }));
        System.out.println("end");
        System.exit(0);
    }

    /** Classes of the JDK that were loaded before the agent are woven in the background. */
    private static void awaitWeaving(ScriptedRequests script) throws Exception {
        Adapters adapters = new Adapters();
        for (String name : List.of("UrlConnection", "JdkSync")) {
            try (StubServer server = new StubServer();
                    Client client = adapters.client(name)) {
                await(name + " is not woven", () -> {
                    try (Held lease = script.hold("early")) {
                        client.send("GET", server.url("/"), null);
                        List<Seen> seen = server.seen();
                        return !seen.get(seen.size() - 1).tokens().isEmpty();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
            }
        }
    }

    /** What shows that a client which sits on one of the others has all of it. */
    private void basics() {
        row("the header is on a request, once", this::first);
        row("under no lease there is none", this::unleased);
        row("hosts that no rule names get none", this::elsewhere);
        row("under two leases there are two", this::two);
        row("a dead lease sends nothing", this::refusedBelow);
    }

    private void rows() {
        row("the header is on a request, once", this::first);
        row("under no lease there is none", this::unleased);
        row("hosts that no rule names get none", this::elsewhere);
        row("under two leases there are two", this::two);
        row("a request sent again has what is right then", this::again);
        row("after a redirect it is there, once", this::redirected);
        row("it does not leave the rule's hosts", this::redirectedElsewhere);
        row("after a connection was dropped it is there, once", this::dropped);
        row("after 503 it is there, once", this::busy);
        row("after a challenge it is there, once", this::challenged);
        row("a dead lease sends nothing", this::refused);
        row("a lease that dies before a redirect sends no more", this::refusedRedirect);
        row("a lease that dies before a retry sends no more", this::refusedRetry);
        row("a thousand refusals keep no connection", this::thousand);
        row("what it calls back is under the lease", this::calledBack);
        if (queues()) {
            row("a lease that dies in a queue sends nothing", this::refusedInQueue);
            row("a lease that was given back in a queue is there", this::releasedInQueue);
            row("a request of another thread under no lease has none", this::unleasedInQueue);
        }
    }

    private void rows(Secure secure) {
        row("over TLS the header is on a request, once", () -> secureFirst(secure));
        row("over TLS a redirect has one of its own", () -> secureRedirect(secure));
        row("over TLS a dead lease sends nothing", () -> secureRefused(secure));
        row("over TLS a lease that dies as it is written uses no connection up", () -> secureRefusedLate(secure));
    }

    private void row(String what, Rows.Row row) {
        Rows.row(name + ": " + what, row);
    }

    private void first() throws Exception {
        for (String method : List.of("GET", "POST", "PUT", "DELETE")) {
            try (Held lease = script.hold("a")) {
                Reply reply = client.send(method, server.url("/" + method), method.startsWith("P") ? "body" : null);
                Rows.check(reply.status() == 200, "status " + reply.status());
            }
            tokens("/" + method, "a");
        }
    }

    private void unleased() throws Exception {
        client.send("GET", server.url("/unleased"), null);
        Rows.check(server.seen("/unleased").get(0).tokens().isEmpty(), "a token under no lease");
    }

    private void elsewhere() throws Exception {
        try (Held lease = script.hold("a")) {
            client.send("GET", server.elsewhere("/elsewhere"), null);
        }
        Rows.check(server.seen("/elsewhere").get(0).tokens().isEmpty(), "a token to a host that no rule names");
    }

    private void two() throws Exception {
        try (Held lease = script.hold("a", "b")) {
            client.send("POST", server.url("/two"), "body");
        }
        tokens("/two", "a+b");
    }

    /** Also where no rule looks at requests: what a callback writes to a database must be fenced. */
    private void calledBack() throws Exception {
        Queue<List<Lease>> found = new ConcurrentLinkedQueue<>();
        if (!client.calledBack(() -> found.add(List.of(LeaseContext.current())))) {
            return;
        }
        for (boolean looks : List.of(true, false)) {
            script.looks(looks);
            try (Held lease = script.hold("a")) {
                client.send("POST", server.url("/called-back"), "body");
                Rows.check(!found.isEmpty(), "called back nothing");
                List<Lease> held = List.of(lease.leases());
                Rows.check(found.stream().allMatch(held::equals), "called back under " + found + ", not " + held);
            } finally {
                script.looks(true);
            }
            found.clear();
            client.send("POST", server.url("/called-back"), "body");
            Rows.check(found.stream().allMatch(List::isEmpty), "called back under " + found + ", not under none");
            found.clear();
        }
        client.calledBack(() -> {});
    }

    /** The same request object, where the library has one. */
    private void again() throws Exception {
        Client.Call call = client.build("PUT", server.url("/again"), "body");
        boolean once = name.contains("UrlConnection");
        for (String lease : once ? List.of("a") : List.of("a", "b", "", "c")) {
            if (lease.isEmpty()) {
                call.send();
            } else {
                try (Held held = script.hold(lease)) {
                    call.send();
                }
            }
        }
        List<String> seen = new ArrayList<>();
        server.seen("/again").forEach(request -> seen.add(lease(request)));
        Rows.check(seen.equals(once ? List.of("a") : List.of("a", "b", "", "c")), "leases " + seen);
    }

    private void redirected() throws Exception {
        String path = "/redirect?to=" + server.url("/target");
        try (Held lease = script.hold("a")) {
            Rows.check(client.send("GET", server.url(path), null).status() == 200, "no redirect");
        }
        tokens(path, "a");
        tokens("/target", "a");
    }

    private void redirectedElsewhere() throws Exception {
        String path = "/redirect?to=" + server.elsewhere("/outside");
        try (Held lease = script.hold("a")) {
            Rows.check(client.send("GET", server.url(path), null).status() == 200, "no redirect");
        }
        tokens(path, "a");
        Rows.check(server.seen("/outside").get(0).tokens().isEmpty(), "a token to a host that no rule names");
    }

    private void dropped() throws Exception {
        // On a connection that was used before: only then do clients send it again unasked.
        client.send("GET", server.url("/before"), null);
        String path = "/drop?" + name;
        try (Held lease = script.hold("a")) {
            client.send("GET", server.url(path), null);
        } catch (IOException e) {
            Rows.check(name.contains("Apache4Async"), "not sent again: " + e);
        }
        tokens(path, name.contains("Apache4Async") ? 1 : 2, "a");
    }

    private void busy() throws Exception {
        String path = "/busy?" + name;
        try (Held lease = script.hold("a")) {
            client.send("GET", server.url(path), null);
        }
        tokens(path, repeatsBusy() ? 2 : 1, "a");
    }

    private boolean repeatsBusy() {
        return name.contains("OkHttp") || name.contains("Apache") && !name.contains("Apache4Async");
    }

    private void challenged() throws Exception {
        String path = "/secret?" + name;
        try (Held lease = script.hold("a")) {
            Rows.check(client.send("GET", server.url(path), null).status() == 200, "no answer to the challenge");
        }
        tokens(path, 2, "a");
    }

    private void refused() throws Exception {
        int connections = server.connections();
        int requests = server.seen().size();
        int refusals = script.refused();
        for (String method : List.of("GET", "POST")) {
            try (Held lease = script.hold("a")) {
                lease.expire();
                isRefused(() -> client.send(method, server.url("/refused"), method.equals("POST") ? "body" : null));
            }
        }
        Rows.check(server.seen().size() == requests, "a request under a dead lease");
        Rows.check(server.connections() == connections, "a connection was opened for a request under a dead lease");
        Rows.check(script.refused() == refusals + 2, "refused " + (script.refused() - refusals) + " times");
    }

    /** Clients on top have exceptions of their own. */
    private void refusedBelow() throws Exception {
        int requests = server.seen().size();
        try (Held lease = script.hold("a")) {
            lease.expire();
            Throwable thrown = null;
            try {
                client.send("PUT", server.url("/refused"), "body");
            } catch (Exception e) {
                thrown = e;
            }
            Rows.check(thrown != null, "not refused");
            while (!(thrown instanceof FencedException)) {
                Rows.check(thrown.getCause() != null, "no refusal: " + thrown);
                thrown = thrown.getCause();
            }
        }
        Rows.check(server.seen().size() == requests, "a request under a dead lease");
        Rows.check(client.send("GET", server.url("/healthy"), null).status() == 200, "no healthy request");
    }

    private void secureFirst(Secure secure) throws Exception {
        boolean http2 = name.contains("Jdk")
                || name.contains("OkHttp")
                || name.contains("Apache5Async")
                || name.startsWith("Secure");
        for (String method : List.of("GET", "PUT")) {
            secure.tokens().clear();
            try (Held lease = script.hold("a", "b")) {
                Reply reply = client.send(method, secure.url("/tls"), method.equals("PUT") ? "body" : null);
                Rows.check(reply.status() == 200, "status " + reply.status());
                Rows.check(
                        reply.header("x-protocol").equals(http2 ? "HTTP/2.0" : "HTTP/1.1"),
                        "protocol " + reply.header("x-protocol"));
            }
            Rows.check(secure.leases().equals(List.of("a+b")), "leases " + secure.tokens());
        }
        secure.tokens().clear();
        client.send("GET", secure.url("/tls"), null);
        Rows.check(secure.leases().equals(List.of("")), "leases " + secure.tokens());
    }

    private void secureRedirect(Secure secure) throws Exception {
        secure.tokens().clear();
        try (Held lease = script.hold("a")) {
            Rows.check(client.send("GET", secure.url("/redirect"), null).status() == 200, "no redirect");
        }
        Rows.check(secure.leases().equals(List.of("a", "a")), "leases " + secure.tokens());
        Rows.check(!secure.tokens().get(0).equals(secure.tokens().get(1)), "not asked again: " + secure.tokens());
    }

    /** More often than one connection has streams. */
    private void secureRefused(Secure secure) throws Exception {
        secure.tokens().clear();
        for (int i = 0; i < 150; i++) {
            try (Held lease = script.hold("a")) {
                lease.expire();
                isRefused(() -> client.send("PUT", secure.url("/refused"), "body"));
            }
        }
        Rows.check(secure.tokens().isEmpty(), "requests under a dead lease");
        for (int i = 0; i < 150; i++) {
            try (Held lease = script.hold("a")) {
                secure.listener(lease::expire);
                isRefused(() -> client.send("GET", secure.url("/redirect"), null));
            } finally {
                secure.listener(() -> {});
            }
        }
        Rows.check(secure.tokens().size() == 150, secure.tokens().size() + " requests, of 150 alive");
        Rows.check(client.send("GET", secure.url("/healthy"), null).status() == 200, "no healthy request");
    }

    /** At each question that is asked about a request: the call, the attempt, the writing. More often than one connection has streams. */
    private void secureRefusedLate(Secure secure) throws Exception {
        String connection = client.send("GET", secure.url("/before"), null).header("x-peer");
        secure.tokens().clear();
        int refused = 0;
        for (int question = 1; question <= 3; question++) {
            for (int i = 0; i < 2 * UndertowTls.STREAMS; i++) {
                try (Held lease = script.hold("a")) {
                    script.diesBefore(question);
                    client.send("PUT", secure.url("/late"), "body");
                    Rows.check(question > 1, "not refused");
                } catch (IOException e) {
                    Rows.check(e.getCause() instanceof FencedException, "no refusal: " + e);
                    refused++;
                } finally {
                    script.diesBefore(0);
                }
            }
        }
        Rows.check(
                secure.tokens().size() + refused == 6 * UndertowTls.STREAMS,
                secure.tokens().size() + " sent and " + refused + " refused");
        Reply healthy = client.send("GET", secure.url("/healthy"), null);
        Rows.check(healthy.status() == 200, "no healthy request");
        if (name.contains("Jdk")) {
            Rows.check(refused == 6 * UndertowTls.STREAMS, "refused " + refused);
            Rows.check(healthy.header("x-peer").equals(connection), "another connection");
        }
    }

    private void refusedRedirect() throws Exception {
        String path = "/redirect?to=" + server.url("/never");
        int refusals = script.refused();
        try (Held lease = script.hold("a")) {
            server.listener(request -> lease.expire());
            isRefused(() -> client.send("GET", server.url(path), null));
        } finally {
            server.listener(request -> {});
        }
        Rows.check(server.seen("/never").isEmpty(), "a redirect was followed under a dead lease");
        Rows.check(script.refused() == refusals + 1, "refused " + (script.refused() - refusals) + " times");
    }

    private void refusedRetry() throws Exception {
        client.send("GET", server.url("/before"), null);
        String path = "/drop?dies-" + name;
        try (Held lease = script.hold("a")) {
            // Not by what is still on its way from a row before.
            server.listener(request -> {
                if (request.path().equals(path)) {
                    lease.expire();
                }
            });
            if (name.contains("Apache4Async")) {
                client.send("GET", server.url(path), null);
            } else {
                isRefused(() -> client.send("GET", server.url(path), null));
            }
        } catch (IOException e) {
            Rows.check(name.contains("Apache4Async"), "not as expected: " + e);
        } finally {
            server.listener(request -> {});
        }
        tokens(path, 1, "a");
    }

    private void thousand() throws Exception {
        int requests = server.seen().size();
        try (Held lease = script.hold("a")) {
            lease.expire();
            for (int i = 0; i < 1_000; i++) {
                isRefused(() -> client.send("PUT", server.url("/thousand"), "body"));
            }
        }
        String path = "/redirect?to=" + server.url("/never");
        for (int i = 0; i < 20; i++) {
            try (Held lease = script.hold("a")) {
                server.listener(request -> lease.expire());
                isRefused(() -> client.send("GET", server.url(path), null));
            } finally {
                server.listener(request -> {});
            }
        }
        Rows.check(server.seen().size() == requests + 20, "a request under a dead lease");
        Future<Reply> healthy = THREADS.submit(() -> client.send("GET", server.url("/healthy"), null));
        Rows.check(healthy.get(30, TimeUnit.SECONDS).status() == 200, "no healthy request");
    }

    private boolean queues() {
        return name.contains("Apache") || name.contains("OkHttpAsync") || name.contains("JdkAsync");
    }

    /** Two requests have all the connections, or one has the only thread. */
    private List<Future<Reply>> fill() throws Exception {
        int room = name.contains("JdkAsync") ? 1 : 2;
        List<Future<Reply>> held = new ArrayList<>();
        for (int i = 0; i < room; i++) {
            held.add(THREADS.submit(() -> client.send("GET", server.url("/hold"), null)));
        }
        await("held " + server.holding(), () -> server.holding() == room);
        return held;
    }

    private void freed(List<Future<Reply>> held) throws Exception {
        server.release();
        for (Future<Reply> reply : held) {
            Rows.check(reply.get(30, TimeUnit.SECONDS).status() == 200, "a held request failed");
        }
    }

    private void refusedInQueue() throws Exception {
        List<Future<Reply>> held = fill();
        int refusals = script.refused();
        Waiting waiting = new Waiting("/queued-dead");
        await("not in the queue", waiting::isMade);
        waiting.lease.expire();
        freed(held);
        isRefused(waiting::reply);
        Rows.check(server.seen("/queued-dead").isEmpty(), "a request under a lease that died in the queue");
        Rows.check(script.refused() == refusals + 1, "refused " + (script.refused() - refusals) + " times");
        Rows.check(
                THREADS.submit(() -> client.send("GET", server.url("/healthy"), null))
                                .get(30, TimeUnit.SECONDS)
                                .status()
                        == 200,
                "no healthy request");
    }

    private void releasedInQueue() throws Exception {
        List<Future<Reply>> held = fill();
        Waiting waiting = new Waiting("/queued-released");
        await("not in the queue", waiting::isMade);
        waiting.release();
        freed(held);
        Rows.check(waiting.reply().status() == 200, "it failed");
        tokens("/queued-released", "q");
    }

    /** What fills the queue under a lease must not put it on requests that wait beside it. */
    private void unleasedInQueue() throws Exception {
        List<Future<Reply>> held = fill();
        Waiting leased = new Waiting("/queued-leased");
        await("not in the queue", leased::isMade);
        Future<Reply> unleased = THREADS.submit(() -> client.send("GET", server.url("/queued-unleased"), null));
        freed(held);
        Rows.check(leased.reply().status() == 200, "it failed");
        Rows.check(unleased.get(30, TimeUnit.SECONDS).status() == 200, "it failed");
        leased.release();
        tokens("/queued-leased", "q");
        Rows.check(server.seen("/queued-unleased").get(0).tokens().isEmpty(), "a lease of another thread");
    }

    /** A call under the lease {@code q} that waits for its turn, on a thread of its own, and the lease with it. */
    private final class Waiting {
        private final Future<Reply> answer;
        private volatile Held lease;
        private volatile Thread thread;

        Waiting(String path) {
            answer = THREADS.submit(() -> {
                try (Held held = script.hold("q")) {
                    thread = Thread.currentThread();
                    lease = held;
                    return client.send("GET", server.url(path), null);
                }
            });
        }

        /** The call is under way, and its thread waits for it. */
        boolean isMade() {
            Thread caller = thread;
            return caller != null
                    && (caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TIMED_WAITING);
        }

        /** As another thread does that unlocks for it. */
        void release() {
            for (Lease given : lease.leases()) {
                given.release();
            }
        }

        Reply reply() throws Exception {
            try {
                return answer.get(30, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
    }

    private static void isRefused(Callable<Reply> call) throws Exception {
        Reply reply;
        try {
            reply = call.call();
        } catch (IOException e) {
            Rows.check(e.getClass() == IOException.class, "another exception: " + e);
            Rows.check(e.getCause() instanceof FencedException, "no refusal: " + e + ", cause " + e.getCause());
            return;
        }
        throw new IllegalStateException("not refused, status " + reply.status());
    }

    /** All requests to a path carried exactly one field with these leases, and each a number of its own. */
    private void tokens(String path, String leases) {
        tokens(path, server.seen(path).size(), leases);
    }

    private void tokens(String path, int requests, String leases) {
        List<Seen> seen = server.seen(path);
        Rows.check(
                !seen.isEmpty() && seen.size() == requests,
                seen.size() + " requests, " + requests + " expected: " + seen);
        for (Seen request : seen) {
            Rows.check(lease(request).equals(leases), "tokens " + request.tokens() + " in " + seen);
        }
        Rows.check(
                new HashSet<>(seen.stream().map(Seen::tokens).toList()).size() == seen.size(),
                "not asked again: " + seen);
    }

    /** The leases of the one token; empty if there is none. */
    private static String lease(Seen request) {
        if (request.tokens().isEmpty()) {
            return "";
        }
        Rows.check(request.tokens().size() == 1, "several: " + request);
        String token = request.tokens().get(0);
        return token.substring(0, token.indexOf('#'));
    }

    private static void await(String what, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            Rows.check(System.nanoTime() - deadline < 0, "waited 30 s: " + what);
            Thread.sleep(2);
        }
    }
}
