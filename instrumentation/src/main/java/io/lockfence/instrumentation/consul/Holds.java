/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.HeldLock;
import io.lockfence.instrumentation.HeldLocks;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** What this JVM has acquired, by session and key: Consul knows no other owner, so that whoever acquires again with the same session has the same hold. */
final class Holds {
    private static final HeldLocks HELD = new HeldLocks(ConsulLibrary.NAME);

    /** Owners whose token is being asked for now, or whose lease begins: two calls may be confirmed at the same time. */
    private static final Map<String, CompletableFuture<Void>> BEGINNING = new ConcurrentHashMap<>();

    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final AtomicLong TIDIED_AT = new AtomicLong(System.nanoTime());

    /**
     * A confirmed acquisition, and what it is worth.
     *
     * @param proof null if there is none
     * @param failure why; or why a proof says that nothing is held
     * @param process whether it is leadership, of all threads
     */
    record Told(
            Put acquisition, KeyCoordinator coordinator, Proof proof, String failure, boolean asks, boolean process) {
        private boolean held() {
            return proof != null && proof.held();
        }
    }

    private Holds() {}

    static String owner(String key, String session) {
        return session + '/' + key;
    }

    /** The owner's hold, or null. */
    static HeldLock of(String owner) {
        return HELD.of(owner);
    }

    /** Whether a rule names the lock. */
    static boolean watched(String key) {
        LeaseEvents events = Seams.leaseEvents();
        return events != null && events.watches(ConsulLibrary.NAME, key);
    }

    static void later(Runnable task, long millis) {
        HELD.later(task, millis);
    }

    static <T> CompletableFuture<T> within(CompletableFuture<T> answer, long millis) {
        return HELD.within(answer, millis);
    }

    /** Runs something for an owner while nothing else runs for it here: what is read must be what begins. */
    static void inTurn(String owner, Runnable task) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        CompletableFuture<Void> before = BEGINNING.putIfAbsent(owner, turn);
        while (before != null) {
            before.join();
            before = BEGINNING.putIfAbsent(owner, turn);
        }
        try {
            task.run();
        } finally {
            BEGINNING.remove(owner, turn);
            turn.complete(null);
        }
    }

    /**
     * An acquisition was confirmed, and Consul has been asked what it is worth. Its lease begins, unless the owner has one. In the owner's turn.
     *
     * @param context of the thread that the lease goes on; null for none
     */
    static void begin(Told told, LeaseContext context) {
        String owner = told.coordinator().owner();
        HeldLock before = HELD.of(owner);
        if (told.held() && before instanceof ConsulHold hold && goesOn(hold, told.coordinator())) {
            again(told, hold, context);
            return;
        }
        if (before != null) {
            // What it was asked for last must not end the lease that begins now.
            HELD.remove(before);
        }
        Lease lease = Seams.leaseEvents()
                .acquired(new Acquisition(
                        ConsulLibrary.NAME,
                        told.acquisition().key(),
                        owner,
                        context,
                        false,
                        told.proof(),
                        told.failure(),
                        Sessions.runsOut(told.acquisition().acquires()),
                        told.coordinator()));
        if (lease == null) {
            return;
        }
        Proof proof = told.proof() == null ? Proof.notHeld(System.nanoTime()) : told.proof();
        HELD.put(new ConsulHold(told.acquisition(), told.coordinator(), lease, context, told.asks(), proof));
        followed(told.acquisition(), context);
        tidy();
    }

    /** Whether what was acquired now is what the owner has held before. A lease without a token protects nothing: any confirmed acquisition takes its place. */
    private static boolean goesOn(ConsulHold hold, KeyCoordinator now) {
        if (hold.lease().death() == Lease.Death.UNUSABLE && hold.lease().token() == 0) {
            return false;
        }
        if (!hold.asks()) {
            return hold.lease().death() == null;
        }
        return hold.first() != null && now.first() != null && now.first().isSameHoldAs(hold.first());
    }

    /** Consul does not keep apart what acquires with one session. All its work has one lease, so that none of it is fenced against the other. */
    private static void again(Told told, ConsulHold hold, LeaseContext context) {
        Lease lease = hold.lease();
        if (context == null || told.process() || isOn(context, lease)) {
            return;
        }
        if (hold.context() != null && hold.context() != context && isOn(hold.context(), lease)) {
            Seams.leaseEvents()
                    .unsupported(
                            ConsulLibrary.NAME,
                            "Lock, by two threads with one session, which does not keep them apart,",
                            told.acquisition().key());
        }
        if (context.attach(lease)) {
            lease.joined(context);
            if (lease.released()) {
                // Meanwhile, by another thread, which has not found it here.
                context.detach(lease);
            }
        }
    }

    private static boolean isOn(LeaseContext context, Lease lease) {
        return List.of(context.leases()).contains(lease);
    }

    /**
     * That another session could acquire the key tells that the one before has it no more. A thread that has taken it with both knows, and may never release what is gone;
     * others may have released and acquired meanwhile.
     */
    private static void followed(Put acquisition, LeaseContext context) {
        LeaseEvents events = Seams.leaseEvents();
        for (HeldLock held : all(hold -> hold.key().equals(acquisition.key())
                && !hold.session().equals(acquisition.acquires())
                && hold.connection().equals(acquisition.connection()))) {
            if (context == null || !isOn(context, held.lease())) {
                ask(held);
                continue;
            }
            HELD.lost(held, "the service has acquired the key with another session");
            events.told(held.owner());
            events.followed(held.owner());
            if (!isOn(context, held.lease())) {
                HELD.remove(held);
            }
        }
    }

    /** Not every lock is released: what has been dead for a minute is not asked for any more, and need not be known. */
    private static void tidy() {
        long now = System.nanoTime();
        long before = TIDIED_AT.get();
        if (now - before > FORGET_NANOS && TIDIED_AT.compareAndSet(before, now)) {
            for (HeldLock held : HELD.all(any ->
                    any.lease().death() != null && now - any.lease().deadline().at() > FORGET_NANOS)) {
                HELD.remove(held);
            }
        }
    }

    private static List<HeldLock> all(Predicate<ConsulHold> which) {
        return HELD.all(held -> held instanceof ConsulHold hold && which.test(hold));
    }

    static List<HeldLock> ofSession(String session) {
        return all(hold -> hold.session().equals(session));
    }

    /** What was acquired of a key, or of all keys that begin so, by one client. */
    static List<HeldLock> ofKey(Connection connection, String key, boolean prefix) {
        return all(hold -> hold.connection().equals(connection) && isMeant(hold.key(), key, prefix));
    }

    private static boolean isMeant(String held, String key, boolean prefix) {
        return prefix ? held.startsWith(key) : held.equals(key);
    }

    /** Asks at once: the hold may have ended, or lasts longer. */
    static void ask(HeldLock held) {
        HELD.ask(any -> any == held);
    }

    /** Something was done to a key by whatever client: what is held of it is asked for at once. */
    static void touched(String key, boolean prefix) {
        HELD.ask(held -> held instanceof ConsulHold hold && isMeant(hold.key(), key, prefix));
    }

    static void renewed(String session) {
        HELD.ask(held -> held instanceof ConsulHold hold && hold.session().equals(session));
    }

    /** Consul has said that a session is over; the service is told as well. */
    static void over(String session) {
        for (HeldLock held : ofSession(session)) {
            HELD.lost(held, "its session is over, as Consul said");
            Seams.leaseEvents().told(held.owner());
        }
    }

    /** A release is about to be sent, on this thread: it ends all that the owner has. Returns whether there was anything. */
    static boolean releasing(String owner) {
        LeaseEvents events = Seams.leaseEvents();
        HeldLock held = HELD.of(owner);
        boolean ended = events.releasing(owner);
        for (boolean more = ended; more; ) {
            more = events.releasing(owner);
        }
        if (held != null) {
            HELD.remove(held);
            // Where another thread has joined it, the agent may not know of that.
            LeaseContext.ofCurrentThread().detach(held.lease());
        }
        return ended || held != null;
    }

    /** How many holds are known. */
    static int size() {
        return HELD.all(held -> true).size();
    }
}
