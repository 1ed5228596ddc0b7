/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.CallGraph.Edge;
import io.lockfence.agent.cli.scan.CallGraph.Reached;
import io.lockfence.agent.cli.scan.Event.Effected;
import io.lockfence.agent.cli.scan.Event.Released;
import io.lockfence.agent.cli.scan.Event.Taken;
import io.lockfence.agent.cli.scan.Event.Waited;
import io.lockfence.agent.cli.scan.LockTable.LockLibrary;
import io.lockfence.agent.cli.scan.LockTable.Role;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.cli.scan.ScanResult.WriteSite;
import io.lockfence.agent.cli.scan.ScanResult.WriteUse;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What each lock covers: the code of its own method while it is held, and all that this calls. */
final class Scopes {
    /** A wait under a lock. */
    record Wait(Place place, long millis, String title) {}

    /**
     * A lock site with what only the search for shapes needs.
     *
     * @param method where it stands
     * @param taken null for an annotation
     * @param confirmed whether it is a lock for sure
     */
    record Scope(LockSite site, MethodFacts method, Taken taken, boolean confirmed, List<Wait> waits) {}

    private final Known known;
    private final OwnMethods service;
    private final Origins origins;
    private final CallGraph graph;
    private final Map<Effected, WriteSite> writes = new LinkedHashMap<>();
    private final Map<String, WriteSite> commits = new LinkedHashMap<>();
    private final List<Scope> scopes = new ArrayList<>();
    private final List<MethodFacts> methods = new ArrayList<>();

    Scopes(Known known, OwnMethods service, Origins origins, CallGraph graph) {
        this.known = known;
        this.service = service;
        this.origins = origins;
        this.graph = graph;
        service.all().forEach(methods::add);
        methods.sort(Comparator.comparing(MethodFacts::owner)
                .thenComparingInt(MethodFacts::line)
                .thenComparing(MethodFacts::key));
    }

    /** All methods, in the order of classes and lines. */
    List<MethodFacts> methods() {
        return methods;
    }

    List<Scope> find() {
        for (MethodFacts method : methods) {
            for (Event event : method.events()) {
                if (event instanceof Taken taken) {
                    scope(method, taken);
                } else if (event instanceof Effected effected && effected.access() != Access.READ) {
                    write(method, effected);
                }
            }
            if (method.scheduled() != null) {
                scheduled(method);
            }
            if (commits(method)) {
                commit(method);
            }
        }
        return scopes;
    }

    /** All places that write; after {@link #find}. */
    List<WriteSite> writes() {
        List<WriteSite> all = new ArrayList<>(writes.values());
        all.addAll(commits.values());
        return all;
    }

    /** The library of a lock, and its status; null if it is a lock of this process alone, or of nothing that is known. */
    private record Kinds(LockLibrary library, Status status, Value name) {}

    private Kinds kinds(MethodFacts method, Taken taken) {
        if (taken.method() != null
                && taken.method().nameArgument() >= 0
                && taken.method().role() != Role.FACTORY) {
            LockLibrary library = taken.method().library();
            Origins.Origin configured = origins.of(taken.name());
            Value name =
                    configured == null || configured.name() == null ? origins.plain(taken.name()) : configured.name();
            boolean certain = library.confirmed() || releasedHere(method, taken);
            Status known = taken.method().fenced() ? Status.FENCED : Status.NOT_YET;
            return new Kinds(library, certain ? known : Status.MAYBE, name);
        }
        Origins.Origin origin = origins.of(taken.name());
        if (origin == null && taken.library() == null) {
            return null;
        }
        LockLibrary library = taken.library() != null
                ? known.table().library(taken.library())
                : origin.factory().library();
        Value name = origin == null ? null : origin.name();
        if (taken.wrapper() && !library.confirmed() && name == null) {
            name = taken.name();
        }
        Status status = !library.fenced()
                ? Status.NOT_YET
                : origin != null && !origin.fenced() ? Status.KIND_NOT_FENCED : Status.FENCED;
        return new Kinds(library, status, name);
    }

    private static boolean releasedHere(MethodFacts method, Taken taken) {
        return method.events().stream()
                .anyMatch(event ->
                        event instanceof Released released && released.places().contains(taken.place()));
    }

    private void scope(MethodFacts method, Taken taken) {
        Kinds kinds = kinds(method, taken);
        if (kinds == null) {
            return;
        }
        List<WriteUse> uses = new ArrayList<>();
        List<Wait> waits = new ArrayList<>();
        for (Event event : method.events()) {
            if (event instanceof Effected effected
                    && effected.held().contains(taken.place())
                    && effected.access() != Access.READ) {
                uses.add(new WriteUse(write(method, effected), List.of(method.shortName()), false));
            } else if (event instanceof Waited waited && waited.held().contains(taken.place())) {
                waits.add(new Wait(method.at(waited.line()), waited.millis(), waited.title()));
            }
        }
        List<Edge> first = CallGraph.edges(
                method, called -> called.held().contains(taken.place()) || called.within() == taken.place());
        follow(method, first, uses, waits);
        Long lease = taken.method() == null
                ? null
                : Times.of(
                        taken.arguments(),
                        taken.method().leaseArgument(),
                        taken.method().lease());
        String key = kinds.name() == null ? "*" : NameTemplate.of(kinds.name()).key();
        LockSite site = new LockSite(
                scopes.size() + 1,
                method.at(taken.line()),
                kinds.library().name(),
                kinds.library().title(),
                taken.call(),
                taken.wrapper(),
                key,
                kinds.status(),
                lease == null ? 0 : Math.max(0, lease),
                distinct(uses),
                !releasedHere(method, taken)
                        && (taken.method() == null || taken.method().role() != Role.SCOPED));
        scopes.add(new Scope(site, method, taken, kinds.status() != Status.MAYBE, waits));
    }

    private void follow(MethodFacts method, List<Edge> first, List<WriteUse> uses, List<Wait> waits) {
        for (Reached reached : graph.reached(method, first, (target, edge) -> true)) {
            List<String> path = new ArrayList<>(List.of(method.shortName()));
            path.addAll(reached.path());
            MethodFacts callee = reached.method();
            for (Event event : callee.events()) {
                if (event instanceof Effected effected && effected.access() != Access.READ) {
                    uses.add(new WriteUse(write(callee, effected), path, reached.task()));
                } else if (event instanceof Waited waited && !reached.task()) {
                    waits.add(new Wait(callee.at(waited.line()), waited.millis(), waited.title()));
                }
            }
            if (commits(callee)) {
                uses.add(new WriteUse(commit(callee), path, reached.task()));
            }
            if (callee.transactional() != null && callee.transactional().timeout() > 0 && !reached.task()) {
                waits.add(new Wait(
                        callee.at(callee.line()), callee.transactional().timeout() * 1_000L, "transaction timeout"));
            }
        }
    }

    /** JPA writes changed objects when the transaction commits, without a call that one could see. */
    private static boolean commits(MethodFacts method) {
        return method.transactional() != null
                && method.transactional().opens()
                && !method.transactional().readOnly();
    }

    private WriteSite commit(MethodFacts method) {
        return commits.computeIfAbsent(
                method.key(),
                key -> new WriteSite(
                        method.at(method.line()),
                        Kind.DATABASE,
                        Access.WRITE,
                        "@Transactional",
                        method.shortName(),
                        "what it changed is written when it commits"));
    }

    private static List<WriteUse> distinct(List<WriteUse> uses) {
        Map<WriteSite, WriteUse> each = new LinkedHashMap<>();
        for (WriteUse use : uses) {
            each.merge(use.write(), use, (a, b) -> a.path().size() <= b.path().size() ? a : b);
        }
        return List.copyOf(each.values());
    }

    private WriteSite write(MethodFacts method, Effected effected) {
        return writes.computeIfAbsent(
                effected,
                key -> new WriteSite(
                        method.at(effected.line()),
                        effected.effect().kind(),
                        effected.access(),
                        effected.effect().title(),
                        effected.call(),
                        effected.detail()));
    }

    /** ShedLock's annotation: the whole method is under the lock. */
    private void scheduled(MethodFacts method) {
        LockLibrary library = known.table().library("shedlock");
        List<WriteUse> uses = new ArrayList<>();
        List<Wait> waits = new ArrayList<>();
        for (Event event : method.events()) {
            if (event instanceof Effected effected && effected.access() != Access.READ) {
                uses.add(new WriteUse(write(method, effected), List.of(method.shortName()), false));
            } else if (event instanceof Waited waited) {
                waits.add(new Wait(method.at(waited.line()), waited.millis(), waited.title()));
            }
        }
        List<Edge> first = new ArrayList<>(CallGraph.edges(method, called -> true));
        method.calls().forEach(call -> first.add(new Edge(call, Event.Reach.CALL, false)));
        follow(method, first, uses, waits);
        LockSite site = new LockSite(
                scopes.size() + 1,
                method.at(method.line()),
                library.name(),
                library.title(),
                "@SchedulerLock",
                false,
                method.scheduled().name().isEmpty() ? "*" : method.scheduled().name(),
                Status.NOT_YET,
                atMost(method.scheduled().atMost()),
                distinct(uses),
                false);
        scopes.add(new Scope(site, method, null, true, waits));
    }

    /** {@code PT10M} or {@code 10m}; 0 if it is neither, such as a property. */
    private static long atMost(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            return Duration.parse(text.startsWith("P") ? text : "PT" + text).toMillis();
        } catch (DateTimeParseException e) {
            return 0;
        }
    }

    OwnMethods service() {
        return service;
    }

    Origins origins() {
        return origins;
    }

    CallGraph graph() {
        return graph;
    }
}
