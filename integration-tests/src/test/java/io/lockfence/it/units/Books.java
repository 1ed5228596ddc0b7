/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** In place of the agent's protocol: notes which leases units of work left behind, and where. For the child JVMs of these tests. */
final class Books {
    private final Map<Lease, String> leftOvers = new ConcurrentHashMap<>();
    private final AtomicInteger taskEnds = new AtomicInteger();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final AtomicInteger leases = new AtomicInteger();
    private volatile Set<String> excluded = Set.of();

    /** Takes the place of the agent's own, and waits until the JDK's executors are woven. */
    static Books open() throws Exception {
        Books books = new Books();
        LeaseEvents events = (LeaseEvents)
                Proxy.newProxyInstance(Books.class.getClassLoader(), new Class<?>[] {LeaseEvents.class}, books::hear);
        Seams.connect(events, null, books.faults::add);
        LeaseContext.activate();
        books.awaitWeaving();
        return books;
    }

    /** A lease that this thread takes and does not give back. */
    Lease leave() {
        int number = leases.incrementAndGet();
        Lease lease = new Lease(
                "lock-" + number,
                "lock-" + number,
                String.format("%032x", number),
                "owner-" + number,
                0,
                number,
                new Deadline(System.nanoTime(), TimeUnit.MINUTES.toNanos(10)));
        if (!LeaseContext.ofCurrentThread().attach(lease)) {
            throw new IllegalStateException("the unit is over already");
        }
        return lease;
    }

    /** Where a lease was set aside; null if it was not. */
    String place(Lease lease) {
        return leftOvers.get(lease);
    }

    int leftOvers() {
        return leftOvers.size();
    }

    List<String> places() {
        return leftOvers.values().stream().distinct().sorted().toList();
    }

    /** Class names of what inherits nothing from now on. */
    void exclude(String... names) {
        excluded = Set.of(names);
    }

    int taskEnds() {
        return taskEnds.get();
    }

    /** Waits for what another thread does after a unit of work: its future is completed within it. */
    static void await(String what, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("waited 20 s: " + what);
            }
            Thread.sleep(1);
        }
    }

    /** Fails if the agent met faults of its own. */
    void close() {
        if (!faults.isEmpty()) {
            throw new IllegalStateException("faults: " + faults);
        }
    }

    private void awaitWeaving() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            await("the JDK's executors are not woven", () -> {
                try {
                    Lease lease = pool.submit(this::leave).get();
                    pool.submit(() -> {}).get();
                    pool.submit(() -> {}).get();
                    return leftOvers.containsKey(lease);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        } finally {
            pool.shutdown();
        }
        if (!pool.awaitTermination(20, TimeUnit.SECONDS)) {
            throw new TimeoutException("the probe's pool");
        }
    }

    private Object hear(Object proxy, Method method, Object[] arguments) {
        if (method.getName().equals("inherits")) {
            return Stream.of(arguments)
                    .noneMatch(type -> type != null && excluded.contains(((Class<?>) type).getName()));
        }
        switch (method.getName()) {
            case "leftOver" -> {
                for (Lease lease : (Lease[]) arguments[0]) {
                    if (leftOvers.putIfAbsent(lease, (String) arguments[1]) != null) {
                        faults.add(new IllegalStateException(lease + " was reported twice"));
                    }
                }
            }
            case "taskEnded" -> taskEnds.incrementAndGet();
            default -> throw new UnsupportedOperationException(method.toString());
        }
        return null;
    }
}
