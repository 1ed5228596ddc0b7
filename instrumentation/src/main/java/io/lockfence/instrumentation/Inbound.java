/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One request that has come in, from its admission to the commit of its response: what the integrations of all servers have in common. An integration admits it
 * once, sends {@link #answer()} if there is one, runs each turn of the service between {@link #begin(Object)} and the end of that unit, and asks {@link #instead(int)} where
 * the response is about to be committed.
 *
 * <p>Kept beside the server's own object for the request, weakly: where a server uses one for many requests, it is {@link #forget forgotten} in between.
 */
public final class Inbound {
    private static final Lease[] NONE = {};
    private static final Object JOINED = new Object();

    private record Turn(LeaseContext before, String name) {}

    private static final Beside<Object, Inbound> ALL = new Beside<>();

    /** Whether there has been any: what runs at each write of a response looks here first. */
    private static volatile boolean ever;

    private final String name;
    /** Null of a request that the rules say nothing about, and of one that is answered. */
    private final Reception reception;

    private final Answer answer;
    private boolean asked;
    private volatile Answer late;
    private volatile boolean replaced;

    private Inbound(String name, Reception reception, Answer answer) {
        this.name = name;
        this.reception = answer != null ? null : reception;
        this.answer = answer;
    }

    /** Whether any rule is about requests that come in: if not, nothing is to be admitted. */
    public static boolean wanted() {
        Effects effects = Seams.effects();
        return effects != null && effects.receives();
    }

    /** Whether there has been any in this JVM. */
    public static boolean ever() {
        return ever;
    }

    /** The address as {@link Incoming#peer()} has it. */
    public static String numbers(InetSocketAddress peer) {
        if (peer.getAddress() == null) {
            return null;
        }
        String address = peer.getAddress().getHostAddress();
        int scope = address.indexOf('%');
        return scope < 0 ? address : address.substring(0, scope);
    }

    /** The request that was admitted under this key; null if none was. */
    public static Inbound of(Object key) {
        return ever && key != null ? ALL.get(key) : null;
    }

    /** The server goes on to another request with the same object. */
    public static void forget(Object key) {
        if (ever) {
            ALL.remove(key);
        }
    }

    /**
     * Asks what is to become of a request. Never throws: a request that carries a token and cannot be admitted because of a fault of ours is answered, since
     * its writes would not be fenced.
     *
     * @param key the server's own object for this request, the same in all its turns
     */
    public static Inbound admit(Object key, Arriving request) {
        Inbound admitted;
        try {
            admitted = received(request);
        } catch (Throwable t) {
            Seams.fault(t);
            admitted = unreceived(request);
        }
        return kept(key, admitted);
    }

    /**
     * In place of {@link #admit} where there is nobody to receive a request that may carry a token: too many are waiting, or a fault of ours. If an enforced rule names it, it is
     * answered, and the client is to try again.
     */
    public static Inbound admitUnreceived(Object key, Arriving request) {
        return kept(key, unreceived(request));
    }

    private static Inbound unreceived(Arriving request) {
        return new Inbound("request", null, mayCarryToken(request) && mustReceive(request) ? unable() : null);
    }

    private static boolean mustReceive(Arriving request) {
        try {
            Effects effects = Seams.effects();
            String path = request.path();
            return path != null
                    && Spellings.of(path, request.rawPath(), request.earlierPaths()).stream()
                            .anyMatch(spelling -> effects.mustReceive(new Spelled(request, spelling)));
        } catch (Throwable t) {
            return true;
        }
    }

    /**
     * What holds of a request that was admitted before, under another path: the lease that it came with there, if nothing is said of it here.
     *
     * @param earlier null for none
     */
    public Inbound orElse(Object key, Inbound earlier) {
        boolean silent = answer == null && leases().length == 0;
        return silent && earlier != null && earlier.leases().length > 0 ? kept(key, earlier) : this;
    }

    private static Inbound kept(Object key, Inbound admitted) {
        try {
            ever = true;
            ALL.put(key, admitted);
            return admitted;
        } catch (Throwable t) {
            Seams.fault(t);
            // Its later turns would not find its leases.
            return admitted.leases().length == 0 ? admitted : new Inbound("request", null, unable());
        }
    }

    private static Inbound received(Arriving request) throws Throwable {
        String path = request.path();
        if (path == null) {
            return new Inbound("request", null, null);
        }
        Effects effects = Seams.effects();
        Reception reception = null;
        Answer answer = null;
        String seen = path;
        for (String spelling : Spellings.of(path, request.rawPath(), request.earlierPaths())) {
            Reception next = effects.receiving(new Spelled(request, spelling));
            if (next != null && answer == null) {
                answer = next.answer();
                if (reception == null || answer != null || rank(next) > rank(reception)) {
                    reception = next;
                    seen = spelling;
                }
            }
        }
        return new Inbound("request " + request.method() + " " + seen, reception, answer);
    }

    private static int rank(Reception reception) {
        return reception.leases().length == 0 ? 0 : reception.enforced() ? 2 : 1;
    }

    /** Whether the admission of a request may block, for claims, and must not be done without: it carries a token, or that cannot be told. Never throws. */
    public static boolean mayCarryToken(Arriving request) {
        try {
            return !request.header(Effects.HEADER).isEmpty();
        } catch (Throwable t) {
            return true;
        }
    }

    private static Answer unable() {
        String title = "Lockfence failed";
        String problem = """
                {"title":"%s","status":%d,"detail":"The request may carry a fencing token, which could not be looked at. The service did not run: try again."}""".formatted(title, Refusal.UNKNOWN.httpStatus());
        return new Answer(
                Refusal.UNKNOWN.httpStatus(),
                Refusal.UNKNOWN,
                title,
                "application/problem+json",
                problem.getBytes(StandardCharsets.UTF_8),
                1);
    }

    /** What the client gets, and the service does not run; null if it does. */
    public Answer answer() {
        return answer;
    }

    /** What the service runs under, in all its turns. */
    public Lease[] leases() {
        return reception == null ? NONE : reception.leases();
    }

    /** Whether there could be something in place of the service's answer. */
    public boolean mayBeReplaced() {
        return reception != null;
    }

    /** For reports: {@code request GET /path}. */
    public String name() {
        return name;
    }

    /**
     * A turn of the service begins on this thread: under the request's leases, or none. A unit of work, to be ended like any other.
     *
     * @param key of the request; also of one that was not admitted
     */
    public static LeaseContext begin(Object key) {
        Inbound request = of(key);
        return request == null ? LeaseContext.beginUnit() : request.begin();
    }

    /** The same for a request that is at hand. */
    public LeaseContext begin() {
        // Costs nothing while the JVM holds no lease.
        return reception == null ? LeaseContext.beginUnit() : LeaseContext.beginUnit(reception);
    }

    /**
     * Something of the service begins within a turn of the request, or outside of all: a listener, a callback. On a thread that works for this request it belongs to what is under way there; one that
     * works for another request does that no more until {@link #leave}.
     *
     * @param key of the request
     * @return for {@link #leave}
     */
    public static Object join(Object key) {
        Inbound request = of(key);
        return request == null || request.isUnderWay() ? JOINED : new Turn(request.begin(), request.name);
    }

    /** The end of what {@link #join} began. */
    public static void leave(Object joined) {
        if (joined instanceof Turn turn) {
            Units.end(turn.before(), turn.name());
        }
    }

    /** Whether the current thread is in a turn of this request, or in a task of its. */
    private boolean isUnderWay() {
        Reception here = LeaseContext.currentReception();
        if (here != null) {
            return here == reception;
        }
        // No turn: a task, which has inherited leases, and may have taken others since.
        Lease[] leases = leases();
        List<Lease> current = Arrays.asList(LeaseContext.current());
        return leases.length > 0
                ? current.containsAll(Arrays.asList(leases))
                : current.stream().noneMatch(Lease::ofCaller);
    }

    /** The same request's leases for a turn that has begun on this thread already, before there could be an admission; in place of those of an earlier one. */
    public void enter() {
        Units.end(null, name);
        LeaseContext unused = begin();
    }

    /** A task that runs as a turn of the request, on whatever thread; the same task if there is no request. */
    public static Runnable turn(Object key, Runnable task) {
        Inbound request = of(key);
        if (request == null || task == null || !request.mayBeReplaced() && LeaseContext.idle()) {
            return task;
        }
        return () -> {
            LeaseContext before = request.begin();
            try {
                task.run();
            } finally {
                Units.end(before, request.name);
            }
        };
    }

    /**
     * The response is about to be committed. Asked once: what comes after the commit finds nothing to replace.
     *
     * @param status that the client would see
     * @return what it gets instead; null to leave it
     */
    public Answer instead(int status) {
        synchronized (this) {
            if (asked || !mayBeReplaced()) {
                return null;
            }
            asked = true;
        }
        try {
            late = reception.instead(status);
            return late;
        } catch (Throwable t) {
            Seams.fault(t);
            return null;
        }
    }

    /** What {@link #instead} said; null if it was not asked, or has left the response. */
    public Answer late() {
        return late;
    }

    /** The response has been replaced: what the service goes on to write goes nowhere. */
    public void replaced() {
        replaced = true;
    }

    /** Whether {@link #replaced()} was said. */
    public boolean isReplaced() {
        return replaced;
    }

    /**
     * Whether a field of the service's response stays in the answer that replaces it: what is about the connection, and what lets a browser show the answer to its
     * script. All others spoke of a body that is not sent, or of a success that was none.
     */
    public static boolean survives(String field) {
        String name = field.toLowerCase(Locale.ROOT);
        return name.startsWith("access-control-")
                || name.equals("connection")
                || name.equals("keep-alive")
                || name.equals("date")
                || name.equals("server")
                || name.equals("vary");
    }

    /** The request under one of its paths; what the integration throws passes through. */
    private record Spelled(Arriving request, String path) implements Incoming {
        @Override
        public String method() {
            return pass(request::method);
        }

        @Override
        public List<String> header(String name) {
            return pass(() -> request.header(name));
        }

        @Override
        public String peer() {
            return pass(request::peer);
        }

        private interface Reading<T> {
            T get() throws Throwable;
        }

        private static <T> T pass(Reading<T> reading) {
            try {
                return reading.get();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }
    }
}
