/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.HeldLock;
import io.lockfence.instrumentation.HeldLocks;
import io.lockfence.instrumentation.MissingMember;
import io.lockfence.instrumentation.Workers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The holds of this JVM, by the full path of their node: no two holds have the same, since Curator puts a random number into each name. */
final class Holds {
    private static final HeldLocks HELD = new HeldLocks(CuratorLibrary.NAME);

    private Holds() {}

    /** Whether a rule names the lock. */
    static boolean watched(String lock) {
        LeaseEvents events = Seams.leaseEvents();
        return events != null && events.watches(CuratorLibrary.NAME, lock);
    }

    /**
     * The service has a lock: asks ZooKeeper for its node, for two seconds at most, and begins the lease.
     *
     * @return whether ZooKeeper has answered
     */
    static boolean acquired(Session session, Hold hold) {
        Clients.watch(session);
        LeaseEvents events = Seams.leaseEvents();
        boolean asks = events.asks(CuratorLibrary.NAME, hold.lock());
        NodeCoordinator coordinator = null;
        Proof proof = null;
        String failure = null;
        try {
            coordinator = new NodeCoordinator(session, hold.node(), asks);
            proof = await(coordinator.prove());
        } catch (Throwable t) {
            failure = failure(hold.node(), t);
        }
        HeldLock held = proof != null && proof.held() ? new HeldLock(hold.node(), coordinator, asks, proof) : null;
        begin(hold, proof, failure, coordinator, held);
        return proof != null;
    }

    /**
     * On a thread of a client's the claim of {@code claim: acquire} must not be waited for: the lease is there before it.
     *
     * @param held what is asked for from now on; null for nothing more
     */
    private static void begin(Hold hold, Proof proof, String failure, NodeCoordinator coordinator, HeldLock held) {
        LeaseEvents events = Seams.leaseEvents();
        Acquisition acquisition = new Acquisition(
                CuratorLibrary.NAME,
                hold.lock(),
                hold.node(),
                hold.context(),
                hold.ownsThread(),
                proof,
                failure,
                false,
                coordinator);
        Supplier<Lease> beginning = () -> events.acquired(acquisition);
        Supplier<Lease> lease = held == null ? beginning : () -> HELD.begin(held, beginning);
        if (hold.context() != null || !events.claimsAtAcquire(CuratorLibrary.NAME, hold.lock())) {
            var unused = lease.get();
            return;
        }
        CompletableFuture<Lease> begun = new CompletableFuture<>();
        Workers.onWorker(() -> begun.complete(lease.get())).run();
        try {
            await(begun);
        } catch (Throwable t) {
            // It has begun none the less, and is claimed when it can be.
        }
    }

    /** Curator counts by itself, and sends nothing: nor do we, whatever the state of the connection. */
    static void reentered(Hold hold) {
        HeldLock held = HELD.of(hold.node());
        LeaseEvents events = Seams.leaseEvents();
        if (held == null && Seams.blindUntil() > 0) {
            // Re-entry keeps the lease, and this one's began before anything was seen of it.
            events.unknown(CuratorLibrary.NAME, hold.lock(), hold.node());
            return;
        }
        boolean lives = held != null && !held.isDead();
        if (held != null) {
            held.count(held.count() + 1);
        }
        begin(
                hold,
                lives ? held.proof() : null,
                lives ? null : "its hold had no living lease when it was entered once more",
                held == null ? null : (NodeCoordinator) held.coordinator(),
                null);
    }

    /**
     * Lockfence failed on a lock that a rule may name: what it protects is refused, if so.
     *
     * @param hold null if that is not known: then all that any rule protects is, where the library is not as we know it
     */
    static void failed(Hold hold, Throwable fault) {
        Seams.fault(fault);
        if (hold != null) {
            begin(hold, null, "Lockfence failed on it: " + fault, null, null);
        } else {
            MissingMember.tell(CuratorLibrary.NAME, fault);
        }
    }

    /** A hold whose lease another one has ended; null for none. */
    static void forget(String node) {
        HeldLock held = node == null ? null : HELD.of(node);
        if (held != null) {
            HELD.remove(held);
        }
    }

    /** Runs something in a while, on a thread where nothing may block. */
    static void later(Runnable task, long millis) {
        HELD.later(task, millis);
    }

    /** Waits on the service's thread. An interrupt stays for the service. */
    private static <T> T await(CompletionStage<T> answer) throws Throwable {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(NodeCoordinator.BOUND_MILLIS);
        try {
            while (true) {
                try {
                    return answer.toCompletableFuture().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String failure(String node, Throwable thrown) {
        return thrown instanceof TimeoutException
                ? "ZooKeeper did not answer within " + NodeCoordinator.BOUND_MILLIS
                        + " ms when asked for the lock's node " + node + "; it is overloaded or cut off"
                : "ZooKeeper could not be asked for the lock's node " + node + ": " + thrown;
    }

    /** Whether a release cannot be of interest: nothing is held, nor was before Lockfence came. */
    static boolean noneToRelease() {
        return LeaseContext.idle() && Seams.blindUntil() == 0;
    }

    /**
     * A release is about to be sent, on this thread.
     *
     * @param lock null if its hold cannot be older than Lockfence
     */
    static void releasing(String lock, String node) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null) {
            return;
        }
        HeldLock held = HELD.of(node);
        boolean last = events.releasing(node);
        if (held != null && last) {
            HELD.remove(held);
        } else if (held != null) {
            held.count(held.count() - 1);
        } else if (!last && lock != null && Seams.blindUntil() > 0 && watched(lock)) {
            events.unknown(CuratorLibrary.NAME, lock, node);
        }
    }

    /** Curator has said that the hold is gone. */
    static void lost(String node, String why) {
        HeldLock held = HELD.of(node);
        if (held != null) {
            HELD.lost(held, why);
        } else if (Seams.leaseEvents() != null) {
            Seams.leaseEvents().lost(node, why);
        }
    }

    /** A client's session is over, or Curator takes it for that. */
    static void lost(Object client, String why) {
        HELD.lost(held -> isOf(held, client), why);
    }

    /** A client is back: whether its session is the same is to be seen. */
    static void look(Object client) {
        HELD.ask(held -> isOf(held, client));
    }

    private static boolean isOf(HeldLock held, Object client) {
        try {
            return ((NodeCoordinator) held.coordinator()).session().identity() == client;
        } catch (Throwable t) {
            Seams.fault(t);
            return false;
        }
    }
}
