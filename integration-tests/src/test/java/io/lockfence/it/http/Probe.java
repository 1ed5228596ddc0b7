/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.bootstrap.LeaseContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the services of {@link ServerContract} tell: shared by the class loaders of all servers. */
public final class Probe {
    private static final Map<String, List<String>> TURNS = new ConcurrentHashMap<>();
    private static final Map<String, List<String>> REACHED = new ConcurrentHashMap<>();
    private static final List<String> LOGGED = new CopyOnWriteArrayList<>();

    private Probe() {}

    /** A piece of the service runs for a request: under how many leases? */
    public static void turn(String id, String name) {
        add(TURNS, id, name + " " + LeaseContext.current().length);
    }

    /** A handler runs under this path. */
    public static void reached(String id, String path) {
        add(REACHED, id, path);
    }

    /** A line of the access log. */
    public static void logged(String line) {
        LOGGED.add(line);
    }

    static List<String> turns(String id) {
        return TURNS.getOrDefault(id, List.of());
    }

    static List<String> reached(String id) {
        return REACHED.getOrDefault(id, List.of());
    }

    static List<String> log() {
        return LOGGED;
    }

    private static void add(Map<String, List<String>> to, String id, String what) {
        to.computeIfAbsent(String.valueOf(id), key -> new CopyOnWriteArrayList<>())
                .add(what);
    }
}
