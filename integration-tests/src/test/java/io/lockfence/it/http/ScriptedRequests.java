/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * In place of the agent's protocol, in the JVM of a contract test: a rule names the host 127.0.0.1; a request there carries the names of its living leases and a number of its own, such as
 * {@code a+b#17}, and is refused under a dead one.
 */
final class ScriptedRequests {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger leases = new AtomicInteger();
    private volatile boolean looks = true;
    private final AtomicInteger deadly = new AtomicInteger();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    /** Takes the place of the agent's own. */
    static ScriptedRequests connect() {
        ScriptedRequests script = new ScriptedRequests();
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "concerned" -> script.looks && arguments[0] instanceof Lease[] under && under.length > 0;
            case "carried" -> arguments[0];
            case "requesting" ->
                script.requesting((Lease[]) arguments[0], (String) arguments[1], (String) arguments[2]);
            case "inherits" -> true;
            case "receives" -> false;
            case "taskEnded", "leftOver" -> null;
            default -> throw new UnsupportedOperationException(method.toString());
        };
        Class<?>[] seams = {Effects.class, LeaseEvents.class};
        Object seam = Proxy.newProxyInstance(ScriptedRequests.class.getClassLoader(), seams, handler);
        Seams.connect((LeaseEvents) seam, (Effects) seam, script.faults::add);
        return script;
    }

    private String requesting(Lease[] under, String method, String url) {
        String host = URI.create(url).getHost();
        if (host == null) {
            throw new IllegalArgumentException(method + " of an address without a host: " + url);
        }
        int number = asked.incrementAndGet();
        if (!host.equals("127.0.0.1")) {
            return null;
        }
        if (deadly.get() > 0 && deadly.decrementAndGet() == 0) {
            for (Lease lease : under) {
                lease.die(Lease.Death.EXPIRED, "the test says so");
            }
        }
        StringBuilder names = new StringBuilder();
        for (Lease lease : under) {
            if (lease.death() != null) {
                refused.incrementAndGet();
                throw new FencedException(Refusal.EXPIRED, lease.resource(), "refused: " + lease.deathCause(), null);
            }
            names.append(names.isEmpty() ? "" : "+").append(lease.lock());
        }
        return names.append('#').append(number).toString();
    }

    /** Whether a rule looks at requests at all. */
    void looks(boolean value) {
        looks = value;
    }

    /** The leases of a request die just before the given question about one from now, counted from 1. */
    void diesBefore(int question) {
        deadly.set(question);
    }

    /** How often a refusal was thrown. */
    int refused() {
        return refused.get();
    }

    Queue<Throwable> faults() {
        return faults;
    }

    /** Work under leases of these names, on this thread. */
    Held hold(String... names) {
        Lease[] held = new Lease[names.length];
        for (int i = 0; i < names.length; i++) {
            String id = String.format("%032x", leases.incrementAndGet());
            held[i] = new Lease(
                    names[i],
                    names[i],
                    id,
                    "owner-" + id,
                    0,
                    1,
                    new Deadline(System.nanoTime(), TimeUnit.MINUTES.toNanos(10)));
            LeaseContext.activate();
            LeaseContext.ofCurrentThread().attach(held[i]);
        }
        return new Held(held);
    }

    /** Leases of one thread, which gives them back. */
    record Held(Lease[] leases) implements AutoCloseable {
        void expire() {
            for (Lease lease : leases) {
                lease.die(Lease.Death.EXPIRED, "the test says so");
            }
        }

        /** As an unlock does, while a call that was made under them is still to be sent. */
        @Override
        public void close() {
            for (Lease lease : leases) {
                lease.release();
                if (LeaseContext.ofCurrentThread().detach(lease)) {
                    LeaseContext.deactivate();
                }
            }
        }
    }
}
