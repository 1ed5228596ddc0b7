/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An agent's side of requests, connected until it is closed. A lease is refused as soon as it is dead; hosts that contain the word {@code outside} are
 * named by no rule.
 */
public final class ScriptedAgent implements AutoCloseable {
    /** What {@code requesting} was told, such as {@code GET http://…}. */
    final Queue<String> asked = new ConcurrentLinkedQueue<>();

    final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    final Queue<String> leftOver = new ConcurrentLinkedQueue<>();

    /** What becomes of a request that comes in; null for no rule. */
    volatile Function<Incoming, Reception> receiving;

    /** Whether an enforced rule names a request that comes in. */
    volatile Predicate<Incoming> insists = incoming -> true;

    /** Whether a rule looks at requests that go out. */
    volatile boolean looks = true;

    /** What stands with a request for what the work that makes it has outlived; null for nothing. */
    volatile Lease outlived;

    /** What each question about a request comes to instead of an answer; null for an answer. */
    volatile RuntimeException bug;

    private final AtomicInteger leases = new AtomicInteger();

    ScriptedAgent() {
        Effects effects = (Effects) Proxy.newProxyInstance(
                Effects.class.getClassLoader(), new Class<?>[] {Effects.class}, (proxy, method, arguments) -> {
                    try {
                        return ScriptedAgent.class
                                .getDeclaredMethod(method.getName(), method.getParameterTypes())
                                .invoke(this, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        LeaseEvents events = (LeaseEvents) Proxy.newProxyInstance(
                LeaseEvents.class.getClassLoader(), new Class<?>[] {LeaseEvents.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("inherits")) {
                        return true;
                    }
                    leftOver.add(method.getName() + " " + arguments[arguments.length - 1]);
                    return null;
                });
        Seams.connect(events, effects, faults::add);
    }

    /** A new lease. */
    Lease lease(String resource) {
        int number = leases.incrementAndGet();
        return new Lease(
                "lock-" + resource,
                resource,
                String.format("%032x", number),
                "owner-" + number,
                0,
                number,
                new Deadline(System.nanoTime(), TimeUnit.MINUTES.toNanos(10)));
    }

    /** Runs work on this thread under leases, and takes them off it. */
    static <T> T under(List<Lease> leases, Callable<T> work) throws Exception {
        LeaseContext context = LeaseContext.ofCurrentThread();
        for (Lease lease : leases) {
            LeaseContext.activate();
            context.attach(lease);
        }
        try {
            return work.call();
        } finally {
            for (Lease lease : leases) {
                context.detach(lease);
                LeaseContext.deactivate();
            }
        }
    }

    /** What a request under these leases carries. */
    static String header(Lease... leases) {
        return String.join(
                ", ",
                List.of(leases).stream()
                        .map(lease -> '"' + lease.resource() + "\";token=\"" + lease.token() + '"')
                        .toList());
    }

    Lease[] carried(Lease[] under) {
        return under.length == 0 && outlived != null ? new Lease[] {outlived} : under;
    }

    boolean concerned(Lease[] under) {
        return looks && (under.length > 0 || outlived != null);
    }

    String requesting(Lease[] under, String method, String url) {
        asked.add(method + " " + url);
        if (bug != null) {
            throw bug;
        }
        for (Lease lease : under) {
            if (lease.death() != null) {
                throw new FencedException(
                        Refusal.EXPIRED, lease.resource(), "the lease of " + lease.resource() + " is dead", null);
            }
        }
        return under.length == 0 || url.contains("outside") ? null : header(under);
    }

    boolean receives() {
        return receiving != null;
    }

    Reception receiving(Incoming request) {
        return receiving.apply(request);
    }

    boolean mustReceive(Incoming request) {
        return insists.test(request);
    }

    /** A request that is handled under leases, and whose failure is answered with 412. */
    static Reception under(Lease... leases) {
        return reception(null, leases, answer(412));
    }

    /** A request that the service does not see. */
    static Reception answered(int status) {
        return reception(answer(status), new Lease[0], null);
    }

    private static Reception reception(Answer early, Lease[] leases, Answer late) {
        return new Reception() {
            @Override
            public Answer answer() {
                return early;
            }

            @Override
            public Lease[] leases() {
                return leases;
            }

            @Override
            public Answer instead(int status) {
                return status >= 500 ? late : null;
            }
        };
    }

    static Answer answer(int status) {
        return new Answer(
                status,
                Refusal.STALE,
                "The lease is stale",
                "application/problem+json",
                "{\"title\":\"The lease is stale\",\"detail\":\"a \\\"newer\\\" one\"}"
                        .getBytes(StandardCharsets.UTF_8),
                0);
    }

    @Override
    public void close() {
        Seams.connect(null, null, Throwable::printStackTrace);
    }
}
