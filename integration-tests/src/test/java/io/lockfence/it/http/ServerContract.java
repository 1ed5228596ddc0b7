/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.it.Waits;
import io.lockfence.it.units.Rows;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Every server, in the versions that are there, against scripted receptions: what an integration of a server promises. For a JVM under the agent. */
public final class ServerContract {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final AtomicInteger IDS = new AtomicInteger();

    private final String name;
    private final int port;
    private final ScriptedReceptions scripted;
    /** Where a handler has thrown, some servers close the connection without saying so. */
    private final boolean closesAfterThrow;
    /** Whether it has an access log that sees requests ahead of its handlers. */
    private final boolean logs;
    /** Whether its service can hold a request back for another one to go on with. */
    private final boolean parks;

    private ServerContract(String name, int port, ScriptedReceptions scripted) {
        this.parks = !name.startsWith("jdk") && !name.startsWith("undertow");
        this.logs = !name.startsWith("jdk") && !name.startsWith("undertow");
        this.closesAfterThrow = name.endsWith("/handlers");
        this.name = name;
        this.port = port;
        this.scripted = scripted;
    }

    /** @param args the folder with a folder of jars for each server, then the beginnings of the names of those that are to be run; none for all */
    public static void main(String[] args) throws Exception {
        ScriptedReceptions scripted = ScriptedReceptions.connect();
        for (TestedServer server : TestedServer.all(Path.of(args[0]))) {
            if (args.length == 1 || List.of(args).stream().skip(1).anyMatch(server.name()::startsWith)) {
                try (CompiledService service = server.start()) {
                    new ServerContract(server.name(), service.port(), scripted).all(server.servlets());
                } catch (Throwable t) {
                    Rows.row(server.name() + " runs", () -> {
                        throw new IllegalStateException(t);
                    });
                }
            }
        }
        System.out.println("end");
        System.exit(0);
    }

    private void all(boolean servlets) {
        int faultsBefore = scripted.faults().size();
        row("a request is admitted once, before any filter, with its path and its peer", this::admission);
        row("a request is answered before the service, and its connection is kept", this::early);
        row("a request of which the body was not read is answered, HEAD without a body", this::earlyWithBody);
        row("an answer of the service stays where nothing was refused", this::untouched);
        for (String path : List.of("/throw", "/error500", "/body500", "/big500", "/empty500")) {
            row("a refusal replaces the service's 500 of " + path, () -> late(path));
        }
        row("a response that was committed before stays", this::committed);
        if (servlets) {
            row("every turn of a request runs under its leases", this::turns);
            row("a refusal replaces a 500 that another thread writes", () -> late("/async/thread500"));
            row("a refusal replaces the 500 of a timeout", () -> late("/async/expire"));
        }
        if (parks) {
            row("a request that another one's thread goes on with is not under its leases", () -> parked(servlets));
        }
        if (name.startsWith("jetty-12") && !servlets) {
            row("the path that a customizer has made is the request's, and so is the first", this::customized);
            row("handlers that may not block leave the waiting to others", this::offSelectors);
        }
        row("no spelling of a path gets by", this::spellings);
        row("after a thousand requests nothing is left on any thread", () -> load(servlets));
        row("where no rule receives, a request is not looked at", this::unwanted);
        row("no faults", () -> {
            List<Throwable> all = scripted.faults();
            if (all.size() > faultsBefore) {
                throw new IllegalStateException((all.size() - faultsBefore) + " faults", all.get(faultsBefore));
            }
        });
    }

    private void row(String what, Rows.Row row) {
        Rows.row(name + ": " + what, row);
    }

    private static String id() {
        return "r" + IDS.incrementAndGet();
    }

    private static String[] fields(String id, String say, String... more) {
        List<String> fields = new ArrayList<>(List.of("X-Id: " + id, "X-Say: " + say));
        fields.addAll(List.of(more));
        return fields.toArray(String[]::new);
    }

    private void admission() throws Exception {
        String id = id();
        try (KeptConnection connection = new KeptConnection(port)) {
            KeptConnection.Answer answer = connection.send(
                    "GET",
                    "/plain/1?x=/y",
                    "",
                    fields(id, "lease", "X-Forwarded-For: 192.0.2.9", "fencing-token: a", "FENCING-TOKEN: b\u00e4"));
            Rows.check(answer.status() == 200, answer.toString());
            Rows.check(answer.body().equals("ok /plain/1"), answer.toString());
            List<ScriptedReceptions.Asked> asked = scripted.asked(id);
            Rows.check(
                    asked.equals(List.of(
                            new ScriptedReceptions.Asked("GET", "/plain/1", "127.0.0.1", List.of("a", "b\u00e4")))),
                    "asked " + asked);
            Rows.check(Probe.turns(id).stream().allMatch(turn -> turn.endsWith(" 1")), "turns " + Probe.turns(id));
            Rows.check(!Probe.turns(id).isEmpty(), "the service did not run");
            String next = id();
            answer = connection.send("GET", "/plain", "", fields(next, "nothing"));
            Rows.check(answer.status() == 200, answer.toString());
            Rows.check(scripted.asked(next).size() == 1, "asked " + scripted.asked(next));
            Rows.check(Probe.turns(next).stream().allMatch(turn -> turn.endsWith(" 0")), "turns " + Probe.turns(next));
        }
    }

    private void early() throws Exception {
        try (KeptConnection connection = new KeptConnection(port)) {
            for (int i = 0; i < 5; i++) {
                String id = id();
                KeptConnection.Answer answer =
                        connection.send("POST", "/plain", "small", fields(id, "answer", "Accept-Encoding: gzip"));
                isProblem(answer);
                Rows.check(!answer.closes(), "closes: " + answer);
                Rows.check(Probe.turns(id).isEmpty(), "the service ran: " + Probe.turns(id));
                Rows.check(scripted.asked(id).size() == 1, "asked " + scripted.asked(id));
                if (logs) {
                    Waits.until("the access log has it", LIMIT, () -> logged(id).contains("412"));
                }
                String next = id();
                answer = connection.send("GET", "/plain", "", fields(next, "lease"));
                Rows.check(answer.status() == 200 && answer.body().equals("ok /plain"), answer.toString());
            }
        }
    }

    private static String logged(String id) {
        return Probe.log().stream()
                .filter(line -> line.startsWith(id + " "))
                .findFirst()
                .orElse("");
    }

    private static void isProblem(KeptConnection.Answer answer) {
        Rows.check(answer.status() == 412, answer.toString());
        Rows.check("application/problem+json".equals(answer.field("content-type")), answer.toString());
        Rows.check(answer.body().equals(new String(ScriptedReceptions.PROBLEM)), answer.toString());
        for (String gone : List.of("etag", "set-cookie", "content-encoding", "x-of-the-service")) {
            Rows.check(answer.field(gone) == null, gone + " is still there: " + answer);
        }
    }

    private void earlyWithBody() throws Exception {
        try (KeptConnection connection = new KeptConnection(port)) {
            KeptConnection.Answer head = connection.send("HEAD", "/plain", "", fields(id(), "answer"));
            Rows.check(head.status() == 412, head.toString());
            if (!head.closes()) {
                KeptConnection.Answer next = connection.send("GET", "/plain", "", fields(id(), "lease"));
                Rows.check(next.status() == 200 && next.body().equals("ok /plain"), next.toString());
            }
        }
        for (int size : List.of(10_000, 300_000)) {
            try (KeptConnection connection = new KeptConnection(port)) {
                connection.write("POST", "/plain", "", fields(id(), "answer", "Content-Length: " + size));
                connection.writeBody("x".repeat(size));
                KeptConnection.Answer answer = connection.read("POST");
                isProblem(answer);
                if (!answer.closes()) {
                    KeptConnection.Answer next = connection.send("GET", "/plain", "", fields(id(), "lease"));
                    Rows.check(next.status() == 200 && next.body().equals("ok /plain"), next.toString());
                }
            } catch (SocketException e) {
                // A server that does not read a large body to its end may reset the connection, answer and all.
                Rows.check(size > 100_000, "reset: " + e);
            }
        }
    }

    private void untouched() throws Exception {
        for (String say : List.of("lease", "nothing")) {
            try (KeptConnection connection = new KeptConnection(port)) {
                KeptConnection.Answer answer = connection.send("GET", "/body500", "", fields(id(), say));
                Rows.check(answer.status() == 500, answer.toString());
                Rows.check("a=b".equals(answer.field("set-cookie")), answer.toString());
                Rows.check(answer.body().equals("{\"error\":\"refused\"}"), answer.toString());
            }
        }
    }

    private void late(String path) throws Exception {
        try (KeptConnection connection = new KeptConnection(port)) {
            for (String method : List.of("GET", "HEAD", "POST")) {
                String id = id();
                KeptConnection.Answer answer = connection.send(
                        method,
                        path,
                        method.equals("POST") ? "small" : "",
                        fields(id, "late", "Accept-Encoding: gzip"));
                if (method.equals("HEAD")) {
                    Rows.check(answer.status() == 412, answer.toString());
                } else {
                    isProblem(answer);
                }
                if (path.equals("/body500")) {
                    Rows.check("*".equals(answer.field("access-control-allow-origin")), answer.toString());
                }
                if (answer.closes() || path.equals("/throw") && closesAfterThrow) {
                    return;
                }
                KeptConnection.Answer next = connection.send("GET", "/plain", "", fields(id(), "lease"));
                Rows.check(next.status() == 200 && next.body().equals("ok /plain"), next.toString());
            }
        }
    }

    private void committed() throws Exception {
        try (KeptConnection connection = new KeptConnection(port)) {
            KeptConnection.Answer answer = connection.send("GET", "/committed", "", fields(id(), "late"));
            Rows.check(answer.status() == 200 && answer.body().equals("earlylate"), answer.toString());
        }
    }

    private void turns() throws Exception {
        Map<String, Set<String>> expected = new TreeMap<>(Map.of(
                "/async/dispatch", Set.of("filter", "REQUEST", "ASYNC", "onComplete"),
                "/async/complete", Set.of("filter", "REQUEST", "started", "onComplete"),
                "/async/timeout", Set.of("filter", "REQUEST", "onTimeout", "onComplete"),
                "/async/read", Set.of("REQUEST", "onDataAvailable", "onAllDataRead"),
                "/async/write", Set.of("REQUEST", "onWritePossible"),
                "/missing", Set.of("REQUEST", "ERROR")));
        for (String path : expected.keySet()) {
            String id = id();
            try (KeptConnection connection = new KeptConnection(port)) {
                String body = path.endsWith("/read") ? "x".repeat(200_000) : "";
                connection.write("POST", path, "", fields(id, "lease", "Content-Length: " + body.length()));
                connection.writeBody(body);
                connection.read("POST");
            }
            Waits.until("turns of " + path + ": " + Probe.turns(id), LIMIT, () -> {
                Set<String> names = new LinkedHashSet<>();
                Probe.turns(id).forEach(turn -> names.add(turn.substring(0, turn.indexOf(' '))));
                return names.containsAll(expected.get(path));
            });
            Rows.check(
                    Probe.turns(id).stream().allMatch(turn -> turn.endsWith(" 1")),
                    path + ": turns " + Probe.turns(id));
            Rows.check(scripted.asked(id).size() == 1, path + ": asked " + scripted.asked(id));
        }
    }

    private void spellings() throws Exception {
        for (String path : List.of(
                "//stock/1",
                "/stock//1",
                "/stock/./1",
                "/x/../stock/1",
                "/x/%2e%2e/stock/1",
                "/x/..;a=b/stock/1",
                "/%73tock/1",
                "/stock;a=b/1",
                "/stock%2F1",
                "/stock\\1",
                "/stock%5C1",
                "/stock/1.",
                "/stock/1/",
                "/stock/1/.",
                "/stock/1%00",
                "/stock/%C3%A4",
                "/stock/%E4",
                "/stock/1%3Ba=b",
                "/STOCK/1",
                "http://127.0.0.1/stock/1")) {
            String id = id();
            try (KeptConnection connection = new KeptConnection(port)) {
                connection.send("GET", path, "", fields(id, "lease"));
            }
            List<String> seen = scripted.asked(id).stream()
                    .map(ScriptedReceptions.Asked::path)
                    .toList();
            for (String reached : Probe.reached(id)) {
                Rows.check(
                        reached.equals("/error") || seen.contains(reached),
                        path + " reached a handler as " + reached + ", asked was " + seen);
            }
        }
    }

    private void parked(boolean servlets) throws Exception {
        String part = servlets ? "/async" : "";
        for (String say : List.of("nothing", "lease")) {
            String waiting = id();
            String releasing = id();
            try (KeptConnection first = new KeptConnection(port);
                    KeptConnection second = new KeptConnection(port)) {
                first.write("GET", part + "/park", "", fields(waiting, say, "X-Key: " + waiting));
                Waits.until(
                        "parked",
                        LIMIT,
                        () -> Probe.turns(waiting).contains("parked " + (say.equals("lease") ? 1 : 0)));
                KeptConnection.Answer answer =
                        second.send("GET", part + "/release", "", fields(releasing, "lease", "X-Key: " + waiting));
                Rows.check(answer.status() == 200, answer.toString());
                first.read("GET");
            }
            String leases = say.equals("lease") ? " 1" : " 0";
            String last = servlets ? "onComplete" : "written";
            Waits.until(
                    "turns " + Probe.turns(waiting),
                    LIMIT,
                    () -> Probe.turns(waiting).contains(last + leases));
            Rows.check(
                    Probe.turns(waiting).stream().allMatch(turn -> turn.endsWith(leases)),
                    say + ": turns " + Probe.turns(waiting));
            Rows.check(
                    Probe.turns(releasing).stream().allMatch(turn -> turn.endsWith(" 1"))
                            && Probe.turns(releasing).contains("after 1"),
                    say + ": turns of the other " + Probe.turns(releasing));
        }
    }

    private void customized() throws Exception {
        String id = id();
        try (KeptConnection connection = new KeptConnection(port)) {
            KeptConnection.Answer answer = connection.send("GET", "/old/1", "", fields(id, "lease"));
            Rows.check(answer.body().equals("ok /new/1"), answer.toString());
        }
        List<String> asked =
                scripted.asked(id).stream().map(ScriptedReceptions.Asked::path).toList();
        Rows.check(asked.equals(List.of("/new/1", "/old/1")), "asked " + asked);
    }

    /** One selector reads all connections: if it waited for the first, the second would not be read. */
    private void offSelectors() throws Exception {
        try (KeptConnection first = new KeptConnection(port);
                KeptConnection second = new KeptConnection(port)) {
            String waiting = id();
            first.write("GET", "/plain", "", fields(waiting, "wait"));
            Waits.until("it waits", LIMIT, () -> !scripted.asked(waiting).isEmpty());
            try {
                KeptConnection.Answer answer = second.send("GET", "/plain", "", fields(id(), "lease"));
                Rows.check(answer.status() == 200, answer.toString());
            } finally {
                scripted.goOn();
            }
            Rows.check(first.read("GET").status() == 200, "the first");
        }
    }

    private void load(boolean servlets) throws Exception {
        List<String> paths = new ArrayList<>(List.of("/plain", "/throw", "/body500", "/committed", "/missing"));
        if (servlets) {
            paths.addAll(List.of("/async/dispatch", "/async/complete", "/async/expire", "/async/write"));
        }
        List<Thread> clients = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(1_000);
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread client = new Thread(() -> {
                try {
                    for (int n = left.getAndDecrement(); n > 0; n = left.getAndDecrement()) {
                        String say =
                                List.of("lease", "late", "answer", "nothing").get(n % 4);
                        String path = paths.get(n / 4 % paths.size());
                        try (KeptConnection connection = new KeptConnection(port)) {
                            connection.write("GET", path, "", fields("load", say));
                            if (n % 7 != 0) {
                                connection.read("GET");
                            }
                        } catch (java.io.EOFException | SocketException e) {
                            // Where the client went, or the service threw, a server may close the connection without an
                            // answer.
                        } catch (IOException e) {
                            failures.add(new IllegalStateException(say + " " + path, e));
                        }
                    }
                } catch (Throwable t) {
                    failures.add(t);
                }
            });
            clients.add(client);
            client.start();
        }
        for (Thread client : clients) {
            client.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.size() + " failed", failures.get(0));
        }
        Waits.until("threads have leases", LIMIT, () -> LeaseContext.threads() == 0);
        Waits.until("the JVM is idle: " + LeaseContext.active(), LIMIT, LeaseContext::idle);
        Rows.check(scripted.leftOvers().isEmpty(), "left over: " + scripted.leftOvers());
    }

    private void unwanted() throws Exception {
        scripted.receives = false;
        try (KeptConnection connection = new KeptConnection(port)) {
            String id = id();
            KeptConnection.Answer answer = connection.send("GET", "/plain", "", fields(id, "answer"));
            Rows.check(answer.status() == 200, answer.toString());
            Rows.check(scripted.asked(id).isEmpty(), "asked " + scripted.asked(id));
        } finally {
            scripted.receives = true;
        }
    }
}
