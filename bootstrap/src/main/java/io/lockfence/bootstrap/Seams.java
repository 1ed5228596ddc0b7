/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Where woven code finds the agent. The one static state of the bootstrap classes; set once, before anything is woven.
 */
public final class Seams {
    private static volatile LeaseEvents leaseEvents;
    private static volatile Effects effects;
    private static volatile Consumer<Throwable> faults = Throwable::printStackTrace;

    private static volatile int blindUntil;

    private static volatile Consumer<Object> givenBack;

    private static final ThreadLocal<Boolean> OURS = new ThreadLocal<>();

    private Seams() {}

    /**
     * Runs the opening of a connection of Lockfence's own: integrations neither report it nor touch what is sent on it, ever.
     *
     * @param opening called on the current thread
     */
    public static <T> T ours(Callable<T> opening) throws Exception {
        OURS.set(true);
        try {
            return opening.call();
        } finally {
            OURS.remove();
        }
    }

    /** Whether the current thread is opening a connection of Lockfence's own. */
    public static boolean ours() {
        return OURS.get() != null;
    }

    /** Connects woven code to the agent. */
    public static void connect(LeaseEvents events, Effects guardedEffects, Consumer<Throwable> faultSink) {
        // Locks last: what is sent under a lease is seen from its first statement on.
        faults = faultSink;
        effects = guardedEffects;
        leaseEvents = events;
    }

    /**
     * How often the agent began to watch locks or connections that may be older than its watching: because it came into a running JVM, or because its
     * rules changed there. 0 in a JVM where it was there from the start: then nothing that it does not know is held or open.
     */
    public static int blindUntil() {
        return blindUntil;
    }

    /** From now on locks or connections are watched that were not watched before. */
    public static synchronized void wasBlind() {
        blindUntil = blindUntil + 1;
    }

    /** The integration of a driver asks to hear of physical connections that pools take back; called once. */
    public static void onGivenBack(Consumer<Object> listener) {
        givenBack = listener;
    }

    /**
     * A pool takes a connection back from the service, on the thread that gave it back.
     *
     * @param connection as the pool got it from the driver
     */
    public static void givenBack(Object connection) {
        Consumer<Object> listener = givenBack;
        if (listener != null) {
            listener.accept(connection);
        }
    }

    /** The seam for lock libraries; null before the agent has connected. */
    public static LeaseEvents leaseEvents() {
        return leaseEvents;
    }

    /** The seam for effects; null before the agent has connected. */
    public static Effects effects() {
        return effects;
    }

    /**
     * A fault of our own, caught by the handler around woven advice: counted and logged once, and every lease on the thread is
     * poisoned, since its books may be wrong. Outside any lease the service goes on as if nothing had happened.
     */
    public static void fault(Throwable fault) {
        for (Lease lease : LeaseContext.current()) {
            lease.die(Lease.Death.UNUSABLE, "Lockfence failed on it: " + fault);
        }
        faults.accept(fault);
    }
}
