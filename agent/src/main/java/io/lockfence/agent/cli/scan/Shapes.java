/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.CallGraph.Edge;
import io.lockfence.agent.cli.scan.CallGraph.Reached;
import io.lockfence.agent.cli.scan.Event.Committed;
import io.lockfence.agent.cli.scan.Event.Reach;
import io.lockfence.agent.cli.scan.Event.Released;
import io.lockfence.agent.cli.scan.Event.Taken;
import io.lockfence.agent.cli.scan.ScanResult.Finding;
import io.lockfence.agent.cli.scan.ScanResult.WriteUse;
import io.lockfence.agent.cli.scan.Scopes.Scope;
import io.lockfence.agent.cli.scan.Scopes.Wait;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds what looks wrong. Each finding must have an innocent neighbour in the tests that is not found. */
final class Shapes {
    private final Scopes scopes;
    private final List<Scope> locks;
    private final Map<String, Finding> findings = new LinkedHashMap<>();

    private Shapes(Scopes scopes, List<Scope> locks) {
        this.scopes = scopes;
        this.locks = locks;
    }

    static List<Finding> of(Scopes scopes, List<Scope> locks) {
        Shapes shapes = new Shapes(scopes, locks);
        shapes.ofLocks();
        shapes.ofCommits();
        shapes.ofTransactions();
        return shapes.findings.values().stream()
                .sorted(Comparator.comparing(Finding::shape)
                        .thenComparing(finding -> finding.place().className())
                        .thenComparingInt(finding -> finding.place().line()))
                .toList();
    }

    private void add(Shape shape, Place place, String what) {
        findings.putIfAbsent(
                shape + "|" + place.className() + "|" + place.method() + "|" + place.line(),
                new Finding(shape, place, what, shape.consequence()));
    }

    private void ofLocks() {
        for (Scope lock : locks) {
            if (!lock.confirmed()) {
                continue;
            }
            Taken taken = lock.taken();
            if (taken != null && taken.attempt() && taken.ignored()) {
                add(
                        Shape.RESULT_IGNORED,
                        lock.site().place(),
                        taken.call() + " may not have got the lock, and nobody asks");
            }
            if (taken != null && taken.inTransaction()) {
                add(
                        Shape.LOCK_IN_TRANSACTION,
                        lock.site().place(),
                        taken.call() + " is called after the transaction has begun");
            }
            lock.waits().stream()
                    .filter(wait -> lock.site().leaseMillis() > 0
                            && wait.millis() > lock.site().leaseMillis())
                    .max(Comparator.comparingLong(Wait::millis))
                    .ifPresent(wait -> add(
                            Shape.SHORT_LEASE,
                            lock.site().place(),
                            "the lease is " + Times.text(lock.site().leaseMillis()) + ", and the " + wait.title()
                                    + " at " + wait.place() + " is " + Times.text(wait.millis())));
            for (WriteUse use : lock.site().within()) {
                if (use.write().kind().thirdParty()) {
                    add(
                            Shape.THIRD_PARTY_WRITE,
                            use.write().place(),
                            use.write().title() + " " + use.write().call()
                                    + (use.write().detail().isEmpty()
                                            ? ""
                                            : " (" + use.write().detail() + ")")
                                    + " runs under the lock of " + lock.site().place());
                }
            }
        }
    }

    /** In one method: a release, then the commit of what was sent before it. */
    private void ofCommits() {
        for (MethodFacts method : scopes.methods()) {
            for (Event event : method.events()) {
                if (event instanceof Committed committed) {
                    for (Event other : method.events()) {
                        if (other instanceof Released released
                                && committed.released().contains(released.place())
                                && isLock(method, released)) {
                            add(
                                    Shape.UNLOCK_BEFORE_COMMIT,
                                    method.at(released.line()),
                                    released.call() + " stands before " + committed.call() + " at line "
                                            + committed.line());
                        }
                    }
                }
            }
        }
    }

    /** Across methods: what is called while a transaction that an annotation or a template opened is open. */
    private void ofTransactions() {
        for (MethodFacts method : scopes.methods()) {
            if (method.transactional() != null
                    && method.transactional().opens()
                    && !method.transactional().readOnly()) {
                List<Reached> reached = new ArrayList<>();
                reached.add(new Reached(method, List.of(), false));
                reached.addAll(inTransaction(
                        method, CallGraph.edges(method, called -> called.reach() == Reach.CALL), method.calls()));
                within("the @Transactional " + method.shortName(), reached);
            }
            List<Edge> templates = CallGraph.edges(method, called -> called.reach() == Reach.TRANSACTION);
            if (!templates.isEmpty()) {
                within(
                        "a transaction that " + method.shortName() + " opens",
                        inTransaction(method, templates, List.of()));
            }
        }
    }

    private List<Reached> inTransaction(MethodFacts from, List<Edge> edges, List<String> calls) {
        List<Edge> first = new ArrayList<>(edges);
        calls.forEach(call -> first.add(new Edge(call, Reach.CALL, call.startsWith(from.owner() + "."))));
        return scopes.graph()
                .reached(
                        from,
                        first,
                        (target, edge) -> edge.reach() != Reach.TASK
                                && (target.transactional() == null
                                        || edge.self()
                                        || !target.transactional().separate()));
    }

    private void within(String transaction, List<Reached> reached) {
        for (Reached next : reached) {
            MethodFacts method = next.method();
            for (Event event : method.events()) {
                if (event instanceof Released released && !released.wrapper() && isLock(method, released)) {
                    add(
                            Shape.UNLOCK_BEFORE_COMMIT,
                            method.at(released.line()),
                            released.call() + " runs inside " + transaction + ", which commits after it");
                } else if (event instanceof Taken taken && isLock(method, taken)) {
                    add(
                            Shape.LOCK_IN_TRANSACTION,
                            method.at(taken.line()),
                            taken.call() + " runs inside " + transaction);
                }
            }
        }
    }

    private boolean isLock(MethodFacts method, Taken taken) {
        return locks.stream()
                .anyMatch(lock -> lock.confirmed()
                        && lock.method().key().equals(method.key())
                        && lock.taken() != null
                        && lock.taken().place() == taken.place()
                        && !taken.wrapper());
    }

    private boolean isLock(MethodFacts method, Released released) {
        if (released.library() != null) {
            return true;
        }
        return scopes.origins().of(released.identity()) != null
                || locks.stream()
                        .anyMatch(lock -> lock.confirmed()
                                && lock.method().key().equals(method.key())
                                && lock.taken() != null
                                && released.places().contains(lock.taken().place()));
    }
}
