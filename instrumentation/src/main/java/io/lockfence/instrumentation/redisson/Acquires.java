/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.LeasedFuture;
import io.lockfence.instrumentation.Workers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** From a call of an acquire method to its lease. */
final class Acquires {
    private Acquires() {}

    /** One attempt of a call: one request to the server. */
    private record Attempt(Call call, long sentAt, long leaseNanos, Hold hold) {}

    /** Enters a synchronous method. Returns null unless a rule names the lock and this is the outermost method. */
    static Object calling(Object lock, boolean explicit) {
        LockType type = LockType.of(lock);
        String name = watched(lock, type);
        return name == null || Call.current(lock) != null ? null : Call.sync(lock, type, name, explicit);
    }

    /** Leaves a synchronous method: the lease begins here, on the caller's thread, where the agent may claim at once. */
    static void returned(Object entered, boolean success) {
        if (!(entered instanceof Call call)) {
            return;
        }
        call.leave();
        if (!success) {
            return;
        }
        Call.Pending acquired = call.acquired;
        if (acquired == null) {
            acquired = missed(call).toCompletableFuture().join();
        }
        begin(call, acquired);
    }

    /** Enters the funnel of asynchronous methods. */
    static Object callingAsync(Object lock, long threadId, boolean explicit) {
        Call outer = Call.current(lock);
        if (outer != null) {
            outer.explicit = explicit;
            return null;
        }
        LockType type = LockType.of(lock);
        String name = watched(lock, type);
        return name == null ? null : Call.async(lock, type, name, threadId, explicit);
    }

    /**
     * Leaves the funnel of asynchronous methods; the first attempt was made in it.
     *
     * @param nullFails whether the value null means that the lock was not acquired
     * @return the future that the service gets instead, or null to leave it
     */
    static Object returnedAsync(Object entered, Object future, boolean nullFails) {
        if (!(entered instanceof Call call)) {
            return null;
        }
        call.leave();
        if (!(future instanceof CompletionStage<?> stage)) {
            call.end();
            return null;
        }
        @SuppressWarnings("unchecked")
        CompletableFuture<Object> source = ((CompletionStage<Object>) stage).toCompletableFuture();
        LeasedFuture<Object> leased = new LeasedFuture<>(() -> call.lease, call.context, source);
        Object replacement = call.type.future(leased);
        source.whenComplete((value, failure) -> {
            boolean acquired = failure == null && !Boolean.FALSE.equals(value) && !(nullFails && value == null);
            if (acquired && !call.attempted) {
                whenProved(missed(call), call, () -> leased.settle(value, null));
            } else {
                call.end();
                leased.settle(value, failure);
            }
        });
        return replacement;
    }

    /** Enters an attempt. */
    static Object attempting(Object lock, long threadId, long leaseMillis) {
        long sentAt = System.nanoTime();
        LockType type = LockType.of(lock);
        Call call = Call.current(lock);
        if (call == null) {
            String name = watched(lock, type);
            if (name == null) {
                return null;
            }
            call = Call.waiting(Holds.owner(type.rawName(lock), type.field(lock, threadId)));
            if (call == null) {
                call = Call.unknown(lock, type, name, threadId);
            }
        }
        long leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        Hold hold = Holds.of(call.owner);
        if (hold != null) {
            // A re-entry sets the time left to its own lease time, and its answer may be lost.
            Holds.shortened(hold, sentAt, leaseNanos);
        }
        return new Attempt(call, sentAt, leaseNanos, hold);
    }

    /**
     * Leaves an attempt, which is under way.
     *
     * @return the future that stands for it from here on: it has the same outcome, after the token is there
     */
    static Object attempted(Object entered, Object future) {
        if (!(entered instanceof Attempt attempt) || !(future instanceof CompletionStage<?> stage)) {
            return null;
        }
        CompletableFuture<Object> out = new CompletableFuture<>();
        Object replacement = attempt.call.type.future(out);
        if (replacement == null) {
            return null;
        }
        attempt.call.attempted = true;
        stage.whenComplete((value, failure) -> {
            try {
                settle(attempt, value, failure, out);
            } catch (RuntimeException | Error e) {
                Seams.fault(e);
                hand(attempt.call, broken(attempt.call, e), () -> out.complete(value));
            }
        });
        return replacement;
    }

    private static void settle(Attempt attempt, Object value, Throwable failure, CompletableFuture<Object> out) {
        Call call = attempt.call;
        if (failure != null) {
            if (attempt.hold != null && attempt.hold.asks) {
                var unused = Holds.ask(attempt.hold);
            }
            out.completeExceptionally(failure);
        } else if (!acquired(value)) {
            if (attempt.hold != null) {
                Holds.lost(attempt.hold, "another owner holds it at Redis");
            }
            out.complete(value);
        } else {
            whenProved(prove(attempt), call, () -> out.complete(value));
        }
    }

    /** What the commands of an attempt answer for success: EVAL_LONG null, EVAL_NULL_BOOLEAN true, EVAL_LONG_LIST -1 first. */
    private static boolean acquired(Object value) {
        if (value instanceof List<?> list) {
            return !list.isEmpty() && list.get(0) instanceof Number first && first.longValue() == -1;
        }
        return value == null || value.equals(true);
    }

    private static CompletionStage<Call.Pending> prove(Attempt attempt) {
        Call call = attempt.call;
        if (Seams.leaseEvents().asks(RedissonLibrary.NAME, call.name)) {
            return mint(call, attempt.hold != null);
        }
        int holds = attempt.hold == null ? 1 : attempt.hold.count() + 1;
        Proof proof = new Proof(attempt.sentAt, true, 0, attempt.leaseNanos, holds);
        RedisCoordinator coordinator = new RedisCoordinator(call.type, call.lock, call.rawName, call.field);
        return CompletableFuture.completedFuture(pending(call, coordinator, false, proof, null));
    }

    /** A public method has succeeded and no attempt was seen: the hook is missing, and the server is asked afterwards. */
    private static CompletionStage<Call.Pending> missed(Call call) {
        try {
            Seams.leaseEvents()
                    .degraded(
                            RedissonLibrary.NAME,
                            call.type.simpleName() + " acquired a lock without an attempt that Lockfence has seen;"
                                    + " the server is asked after each acquire call instead");
            if (Seams.leaseEvents().asks(RedissonLibrary.NAME, call.name)) {
                return mint(call, Holds.of(call.owner) != null);
            }
            // Nothing may be sent and nothing was seen: the lease time is unknown.
            RedisCoordinator coordinator = new RedisCoordinator(call.type, call.lock, call.rawName, call.field);
            return CompletableFuture.completedFuture(
                    pending(call, coordinator, false, null, "no attempt of the acquire call was seen"));
        } catch (RuntimeException e) {
            Seams.fault(e);
            return CompletableFuture.completedFuture(broken(call, e));
        }
    }

    private static CompletionStage<Call.Pending> mint(Call call, boolean known) {
        RedisCoordinator coordinator = new RedisCoordinator(call.type, call.lock, call.rawName, call.field);
        return coordinator
                .mint(known)
                .handle((proof, failure) ->
                        pending(call, coordinator, true, proof, failure == null ? null : coordinator.failure(failure)));
    }

    private static Call.Pending pending(
            Call call, RedisCoordinator coordinator, boolean asks, Proof proof, String failure) {
        return new Call.Pending(
                new Acquisition(
                        RedissonLibrary.NAME,
                        call.name,
                        call.owner,
                        call.context,
                        call.ownsThread,
                        proof,
                        failure,
                        call.explicit,
                        coordinator),
                coordinator,
                asks,
                proof == null ? 0 : proof.timeLeftNanos());
    }

    private static Call.Pending broken(Call call, Throwable fault) {
        return new Call.Pending(
                new Acquisition(
                        RedissonLibrary.NAME,
                        call.name,
                        call.owner,
                        call.context,
                        call.ownsThread,
                        null,
                        "Lockfence failed on it: " + fault,
                        call.explicit,
                        null),
                null,
                false,
                0);
    }

    /**
     * @param completion completes the service's future, whatever goes wrong here: it has the lock
     */
    private static void whenProved(CompletionStage<Call.Pending> proof, Call call, Runnable completion) {
        proof.whenComplete((acquired, fault) -> {
            if (fault != null) {
                Seams.fault(fault);
            }
            hand(call, fault == null ? acquired : broken(call, fault), completion);
        });
    }

    /** The server's part is done: a synchronous call begins the lease itself, when it has succeeded. */
    private static void hand(Call call, Call.Pending acquired, Runnable completion) {
        try {
            if (!call.async) {
                call.acquired = acquired;
                completion.run();
            } else if (Seams.leaseEvents().claimsAtAcquire(RedissonLibrary.NAME, call.name)) {
                Workers.onWorker(() -> deliver(call, acquired, completion)).run();
            } else {
                deliver(call, acquired, completion);
            }
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
            completion.run();
        }
    }

    /** Begins the lease of an asynchronous call, then completes its future. */
    private static void deliver(Call call, Call.Pending acquired, Runnable completion) {
        try {
            call.lease = begin(call, acquired);
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
        }
        call.end();
        completion.run();
    }

    private static Lease begin(Call call, Call.Pending acquired) {
        LeaseEvents events = Seams.leaseEvents();
        Acquisition told = call.async ? acquired.acquisition() : onThisThread(acquired.acquisition());
        Proof proof = told.proof();
        if (proof != null && proof.held() && proof.holdCount() > 1 && Unknowns.is(call.owner)) {
            // Re-entry keeps the lease, and this one's began before anything was seen of it.
            Unknowns.tell(call.owner, call.name);
            return null;
        }
        if (acquired.asks()) {
            // Unasked, nobody knows whether it was entered once more.
            Unknowns.taken(call.owner);
        }
        Lease lease = events.acquired(told);
        if (lease == null || proof == null || !proof.held()) {
            return lease;
        }
        Hold hold = Holds.of(call.owner);
        if (hold != null && hold.lease == lease) {
            hold.entered(call.explicit, acquired.grantedNanos(), proof.holdCount());
        } else {
            Holds.put(new Hold(
                    call.owner,
                    call.rawName,
                    call.field,
                    lease,
                    acquired.coordinator(),
                    acquired.asks(),
                    call.explicit,
                    acquired.grantedNanos(),
                    proof.holdCount()));
        }
        return lease;
    }

    private static Acquisition onThisThread(Acquisition acquisition) {
        return new Acquisition(
                acquisition.library(),
                acquisition.lock(),
                acquisition.owner(),
                LeaseContext.ofCurrentThread(),
                acquisition.ownsThread(),
                acquisition.proof(),
                acquisition.failure(),
                acquisition.explicitLease(),
                acquisition.coordinator());
    }

    /** The name of a lock that a rule names and that is fenced; null otherwise, and reported if its type is why. */
    private static String watched(Object lock, LockType type) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null || !type.isLock() || type.isTransactional()) {
            return null;
        }
        String name = type.name(lock);
        if (!events.watches(RedissonLibrary.NAME, name)) {
            return null;
        }
        if (!type.isFenceable()) {
            events.unsupported(RedissonLibrary.NAME, type.simpleName(), name);
            return null;
        }
        String group = Unfenced.groupOf(lock);
        if (group != null) {
            events.unsupported(RedissonLibrary.NAME, group, name);
            return null;
        }
        return name;
    }

    /** The cause of a stage's failure. */
    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
