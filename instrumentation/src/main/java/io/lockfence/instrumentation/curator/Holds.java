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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
     * The service has a lock: asks ZooKeeper for its node, for two seconds at most, and begins the lease, or counts a re-entry.
     *
     * @param lock its name, a full path
     * @param node full path of the node
     * @param context of the thread that the lease goes on; null for none
     * @param ownsThread whether only that thread can release it
     */
    static Lease acquired(Session session, String lock, String node, LeaseContext context, boolean ownsThread) {
        Clients.watch(session);
        HeldLock held = HELD.of(node);
        if (held != null) {
            return reentered(held, lock, node, context, ownsThread);
        }
        LeaseEvents events = Seams.leaseEvents();
        boolean asks = events.asks(CuratorLibrary.NAME, lock);
        NodeCoordinator coordinator = null;
        Proof proof = null;
        String failure = null;
        try {
            coordinator = new NodeCoordinator(session, node, asks);
            proof = await(coordinator);
        } catch (Throwable t) {
            failure = failure(node, t);
        }
        Lease lease = events.acquired(new Acquisition(
                CuratorLibrary.NAME, lock, node, context, ownsThread, proof, failure, false, coordinator));
        if (lease != null && proof != null && proof.held()) {
            HELD.put(new HeldLock(node, lease, coordinator, asks, proof));
        }
        return lease;
    }

    /** Curator counts by itself, and sends nothing: nor do we, whatever the state of the connection. */
    private static Lease reentered(HeldLock held, String lock, String node, LeaseContext context, boolean ownsThread) {
        held.count(held.count() + 1);
        Proof proof = held.proof();
        return Seams.leaseEvents()
                .acquired(new Acquisition(
                        CuratorLibrary.NAME, lock, node, context, ownsThread, proof, null, false, held.coordinator()));
    }

    /** Waits on the service's thread. An interrupt stays for the service. */
    private static Proof await(NodeCoordinator coordinator) throws Throwable {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(NodeCoordinator.BOUND_MILLIS);
        try {
            while (true) {
                try {
                    return coordinator
                            .ask()
                            .toCompletableFuture()
                            .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
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

    /** Whether the hold has a lease that lives. */
    static boolean knows(String node) {
        return HELD.of(node) != null;
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
