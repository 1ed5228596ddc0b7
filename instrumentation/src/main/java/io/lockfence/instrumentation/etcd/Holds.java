/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** What this JVM was told to hold, by the full key: that has the name of the lock and the id of etcd's lease, so that whoever asks again with the same lease has the same key. */
final class Holds {
    private static final HeldLocks HELD = new HeldLocks(EtcdLibrary.NAME);

    /** Owners whose lease is beginning now: two calls may be told of one key at the same time. */
    private static final Map<String, CompletableFuture<Void>> BEGINNING = new ConcurrentHashMap<>();

    private Holds() {}

    /** Whether a rule names the lock. */
    static boolean watched(String lock) {
        LeaseEvents events = Seams.leaseEvents();
        return events != null && events.watches(EtcdLibrary.NAME, lock);
    }

    static void later(Runnable task, long millis) {
        HELD.later(task, millis);
    }

    static CompletionStage<Proof> within(CompletionStage<Proof> answer, long millis) {
        return HELD.within(answer, millis);
    }

    /**
     * A call was told that it has the lock, and etcd has been asked what that is worth. The lease begins, unless the key has one.
     *
     * @param context of the thread that the lease goes on; null for none
     * @return null if no rule names the lock any more
     */
    static Lease begin(Acquiring.Call call, Acquiring.Told told, LeaseContext context) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        CompletableFuture<Void> before = BEGINNING.putIfAbsent(told.owner(), turn);
        while (before != null) {
            // A lease of the same rule is beginning: that takes no longer than this one may.
            before.join();
            before = BEGINNING.putIfAbsent(told.owner(), turn);
        }
        try {
            return beginAlone(call, told, context);
        } finally {
            BEGINNING.remove(told.owner(), turn);
            turn.complete(null);
        }
    }

    private static Lease beginAlone(Acquiring.Call call, Acquiring.Told told, LeaseContext context) {
        Proof proof = told.proof();
        if (proof != null
                && proof.held()
                && HELD.of(told.owner()) instanceof EtcdHold held
                && held.proof().token() == proof.token()) {
            return again(call, held, context);
        }
        HeldLock before = HELD.of(told.owner());
        if (before != null) {
            // What it was asked for last must not end the lease that begins now.
            HELD.remove(before);
        }
        Acquisition acquisition = new Acquisition(
                EtcdLibrary.NAME,
                call.lock(),
                told.owner(),
                context,
                false,
                proof,
                told.failure(),
                !Grants.isKeptAlive(call.leaseId()),
                told.coordinator());
        EtcdHold held = new EtcdHold(told, call.lock(), call.leaseId(), context, call.asks());
        Lease lease = HELD.begin(held, () -> Seams.leaseEvents().acquired(acquisition));
        if (lease != null) {
            followed(call.lock(), told.owner(), context);
        }
        return lease;
    }

    /** The same key: etcd keeps two calls with one lease not apart. Their work has one lease, so that none of it is fenced against the other. */
    private static Lease again(Acquiring.Call call, EtcdHold held, LeaseContext context) {
        Lease lease = held.lease();
        if (context == null || call.process() || isOn(context, lease)) {
            return lease;
        }
        if (held.context() != null && held.context() != context && isOn(held.context(), lease)) {
            Seams.leaseEvents()
                    .unsupported(
                            EtcdLibrary.NAME,
                            "Lock, by two threads with one etcd lease, which does not keep them apart,",
                            call.lock());
        }
        join(context, lease);
        return lease;
    }

    static boolean isOn(LeaseContext context, Lease lease) {
        return List.of(context.leases()).contains(lease);
    }

    /** Puts a lease that has begun on one more thread. */
    static void join(LeaseContext context, Lease lease) {
        if (context.attach(lease)) {
            lease.joined(context);
            if (lease.released()) {
                // Meanwhile, by another thread, which has not found it here.
                context.detach(lease);
            }
        }
    }

    /** With another lease the service has another key, and may never unlock the one before, which is gone. */
    private static void followed(String lock, String owner, LeaseContext context) {
        if (context == null) {
            return;
        }
        for (HeldLock held : HELD.all(before -> before instanceof EtcdHold hold
                && hold.lock().equals(lock)
                && !hold.owner().equals(owner)
                && hold.isDead()
                && isOn(context, hold.lease()))) {
            Seams.leaseEvents().followed(held.owner());
            if (!isOn(context, held.lease())) {
                HELD.remove(held);
            }
        }
    }

    /** etcd has said that a lease is gone; the service is told as well. */
    static void gone(long leaseId) {
        for (HeldLock held : of(leaseId)) {
            HELD.lost(held, "etcd has no such lease any more");
            Seams.leaseEvents().told(held.owner());
        }
    }

    /** What belongs to a lease of etcd's. */
    static List<HeldLock> of(long leaseId) {
        return HELD.all(held -> held instanceof EtcdHold hold && hold.leaseId() == leaseId);
    }

    /**
     * A release is about to be sent, on this thread: it ends all that the owner has.
     *
     * @param lock null if its hold cannot be older than Lockfence
     */
    static void releasing(String owner, String lock) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null) {
            return;
        }
        HeldLock held = HELD.of(owner);
        boolean ended = events.releasing(owner);
        for (boolean more = ended; more; ) {
            more = events.releasing(owner);
        }
        if (held != null) {
            HELD.remove(held);
            // Where the lease is on this thread only while a continuation runs, the agent does not know of it.
            LeaseContext.ofCurrentThread().detach(held.lease());
        } else if (!ended && lock != null && Seams.blindUntil() > 0 && watched(lock)) {
            events.unknown(EtcdLibrary.NAME, lock, owner);
        }
    }
}
