/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * In place of the agent's protocol: says of each request what its field {@code X-Say} asks for. {@code lease}: it runs under one. {@code answer}: 412 before the
 * service. {@code wait}: no rule, but not at once. {@code late}: under a lease, of which an access was refused: 412 in place of a 500. Anything else: no rule.
 */
final class ScriptedReceptions {
    static final byte[] PROBLEM = "{\"title\":\"stale\",\"status\":412}".getBytes(StandardCharsets.UTF_8);

    /** What was asked about, by the request's {@code X-Id}. */
    record Asked(String method, String path, String peer, List<String> token) {}

    private final Map<String, List<Asked>> asked = new ConcurrentHashMap<>();
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private final List<String> leftOvers = new CopyOnWriteArrayList<>();
    private final AtomicInteger leases = new AtomicInteger();
    private final Semaphore waiting = new Semaphore(0);
    volatile boolean receives = true;

    static ScriptedReceptions connect() {
        ScriptedReceptions scripted = new ScriptedReceptions();
        Seams.connect(
                proxy(LeaseEvents.class, scripted::event),
                proxy(Effects.class, scripted::effect),
                scripted.faults::add);
        return scripted;
    }

    private static <T> T proxy(Class<T> type, java.util.function.BiFunction<Method, Object[], Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answers.apply(method, args)));
    }

    List<Asked> asked(String id) {
        return asked.getOrDefault(id, List.of());
    }

    /** Lets one request go on that was to {@code wait}. */
    void goOn() {
        waiting.release();
    }

    List<Throwable> faults() {
        return faults;
    }

    List<String> leftOvers() {
        return leftOvers;
    }

    private Object event(Method method, Object[] args) {
        if (method.getName().equals("leftOver")) {
            leftOvers.add((String) args[1]);
        }
        Class<?> type = method.getReturnType();
        return type == boolean.class ? (Object) false : null;
    }

    private Object effect(Method method, Object[] args) {
        return switch (method.getName()) {
            case "receives" -> receives;
            case "mustReceive" -> true;
            case "receiving" -> receiving((Incoming) args[0]);
            case "concerned", "calling", "sending", "bound", "refusesUnknown", "mayBeClaimed" -> false;
            default -> null;
        };
    }

    private Reception receiving(Incoming request) {
        String id = String.join(",", request.header("x-id"));
        asked.computeIfAbsent(id, key -> new CopyOnWriteArrayList<>())
                .add(new Asked(request.method(), request.path(), request.peer(), request.header("Fencing-Token")));
        return switch (String.join(",", request.header("X-Say"))) {
            case "wait" -> {
                try {
                    waiting.acquire();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                yield null;
            }
            case "lease" -> new Scripted(null, false);
            case "late" -> new Scripted(null, true);
            case "answer" -> new Scripted(stale(), false);
            default -> null;
        };
    }

    private static Answer stale() {
        return new Answer(412, Refusal.STALE, "stale", "application/problem+json", PROBLEM, 0);
    }

    private final class Scripted extends Reception {
        private final Answer answer;
        private final boolean refused;
        private final Lease[] under;

        Scripted(Answer answer, boolean refused) {
            this.answer = answer;
            this.refused = refused;
            int number = leases.incrementAndGet();
            under = new Lease[] {
                new Lease(
                        "lock",
                        "lock",
                        String.format("%032x", number),
                        "caller",
                        0,
                        number,
                        new Deadline(System.nanoTime(), TimeUnit.MINUTES.toNanos(10))) {
                    @Override
                    public boolean ofCaller() {
                        return true;
                    }
                }
            };
        }

        @Override
        public Answer answer() {
            return answer;
        }

        @Override
        public Lease[] leases() {
            return under;
        }

        @Override
        public Answer instead(int status) {
            return refused && status >= 500 ? stale() : null;
        }
    }
}
