/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.Event.Called;
import io.lockfence.agent.cli.scan.Event.Reach;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Which methods of the service are reached from which, breadth first and bounded. */
final class CallGraph {
    /** From one place, this many methods are followed. */
    static final int MOST_REACHED = 5_000;

    private static final int LONGEST_PATH = 12;

    /**
     * @param path short names of the methods from the start to this one, the start left out
     * @param task whether another thread may be between
     */
    record Reached(MethodFacts method, List<String> path, boolean task) {}

    /** A call that may be followed: in which method it stands, and what it is. */
    record Edge(String target, Reach reach, boolean self) {}

    private final OwnMethods service;
    private final Set<String> notices;

    /** @param notices hears where the bound was met */
    CallGraph(OwnMethods service, Set<String> notices) {
        this.service = service;
        this.notices = notices;
    }

    /** The calls of a method that the condition holds for. */
    static List<Edge> edges(MethodFacts method, Predicate<Called> condition) {
        List<Edge> edges = new ArrayList<>();
        for (Event event : method.events()) {
            if (event instanceof Called called && condition.test(called)) {
                edges.add(new Edge(
                        MethodFacts.key(called.owner(), called.name(), called.descriptor()),
                        called.reach(),
                        called.self()));
            }
        }
        return edges;
    }

    private static List<Edge> edges(MethodFacts method) {
        List<Edge> edges = edges(method, called -> true);
        for (String call : method.calls()) {
            edges.add(new Edge(call, Reach.CALL, call.startsWith(method.owner() + ".")));
        }
        return edges;
    }

    /** Decides whether a call is followed. */
    interface Follow {
        boolean into(MethodFacts target, Edge edge);
    }

    /** The methods that the calls lead to, directly and on; each once, on a shortest way. */
    List<Reached> reached(MethodFacts from, List<Edge> first, Follow follow) {
        Map<String, Reached> reached = new LinkedHashMap<>();
        ArrayDeque<Reached> open = new ArrayDeque<>();
        Set<String> seen = new HashSet<>();
        extend(first, List.of(), false, follow, seen, open);
        while (!open.isEmpty()) {
            Reached next = open.remove();
            reached.put(next.method().key(), next);
            if (reached.size() == MOST_REACHED) {
                notices.add(from.shortName() + " reaches more than " + MOST_REACHED
                        + " methods of the service; the farther ones were not followed");
                break;
            }
            extend(edges(next.method()), next.path(), next.task(), follow, seen, open);
        }
        return List.copyOf(reached.values());
    }

    private void extend(
            List<Edge> edges,
            List<String> path,
            boolean task,
            Follow follow,
            Set<String> seen,
            ArrayDeque<Reached> open) {
        for (Edge edge : edges) {
            for (String target : service.targets(edge.target())) {
                MethodFacts method = service.facts(target);
                if (method != null && follow.into(method, edge) && seen.add(target)) {
                    List<String> longer = new ArrayList<>(path);
                    if (longer.size() < LONGEST_PATH
                            && (longer.isEmpty()
                                    || !longer.get(longer.size() - 1).equals(method.shortName()))) {
                        longer.add(method.shortName());
                    }
                    open.add(new Reached(method, List.copyOf(longer), task || edge.reach() == Reach.TASK));
                }
            }
        }
    }
}
