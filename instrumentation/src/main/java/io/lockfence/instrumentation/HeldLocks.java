/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The holds of one library whose coordinator does not tell of renewals: it is asked for each hold six times in the time that it grants, and what it answers
 * moves the deadline, from the time at which the question was sent. A question that is not answered moves nothing. Bounded by the locks that are held. Thread safe.
 */
public final class HeldLocks {
    private static final int ASKED_IN_A_TERM = 6;
    private static final long SELDOM_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long OFTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Map<String, HeldLock> byOwner = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor timer;
    /** The next look at all of them; null while there is one, or if none is needed. */
    private Future<?> next;
    /** When that comes, by {@link System#nanoTime()}. */
    private long nextAt;

    /** @param library as rules name it */
    public HeldLocks(String library) {
        timer = new ScheduledThreadPoolExecutor(1, Workers.threads("lockfence-" + library + "-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(5, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** The owner's hold, or null. */
    public HeldLock of(String owner) {
        return byOwner.get(owner);
    }

    /** Those for which something holds true. */
    public List<HeldLock> all(Predicate<HeldLock> which) {
        return byOwner.values().stream().filter(which).toList();
    }

    /**
     * Begins the lease of a hold, and to ask for it: from before the lease begins, as that may take long where it claims.
     *
     * @param beginning returns null if no rule names the lock
     * @return the same
     */
    public Lease begin(HeldLock held, Supplier<Lease> beginning) {
        byOwner.put(held.owner(), held);
        lookWithin(dueInNanos(held));
        Lease lease = null;
        try {
            lease = beginning.get();
        } finally {
            if (lease == null) {
                remove(held);
            } else {
                held.begun(lease);
            }
        }
        return lease;
    }

    /** It is released: nobody asks for it any more. */
    public void remove(HeldLock held) {
        byOwner.remove(held.owner(), held);
    }

    /** The coordinator said, or the library did, that the hold is gone for good. It stays known until its release: whoever takes it once more has the dead lease. */
    public void lost(HeldLock held, String why) {
        if (byOwner.get(held.owner()) == held) {
            held.gone();
            Seams.leaseEvents().lost(held.owner(), why);
        }
    }

    /** Every hold for which something holds true is gone for good. */
    public void lost(Predicate<HeldLock> which, String why) {
        for (HeldLock held : byOwner.values()) {
            if (which.test(held)) {
                lost(held, why);
            }
        }
    }

    /** Asks at once, for every hold of these: something has happened that may have ended them. */
    public void ask(Predicate<HeldLock> which) {
        for (HeldLock held : byOwner.values()) {
            if (which.test(held)) {
                ask(held);
            }
        }
    }

    /** Runs something on the timer's thread, where nothing may block. */
    public void later(Runnable task, long millis) {
        var unused = timer.schedule(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException | Error e) {
                        Seams.fault(e);
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** The same answer; a {@link TimeoutException}, on a worker, if it does not come in time. */
    public <T> CompletableFuture<T> within(CompletionStage<T> answer, long millis) {
        CompletableFuture<T> bounded = new CompletableFuture<>();
        Future<?> timeout = timer.schedule(
                Workers.onWorker(() -> bounded.completeExceptionally(new TimeoutException())),
                millis,
                TimeUnit.MILLISECONDS);
        answer.whenComplete((value, failure) -> {
            timeout.cancel(false);
            if (failure == null) {
                bounded.complete(value);
            } else {
                bounded.completeExceptionally(failure);
            }
        });
        return bounded;
    }

    private void ask(HeldLock held) {
        if (!held.beginAsking()) {
            return;
        }
        CompletionStage<Proof> answer;
        try {
            answer = held.coordinator().ask();
        } catch (RuntimeException | Error e) {
            held.endAsking();
            throw e;
        }
        answer.whenComplete((proof, failure) -> {
            held.endAsking();
            if (failure == null) {
                answered(held, proof);
            }
        });
    }

    private void answered(HeldLock held, Proof proof) {
        if (!proof.held()) {
            lost(held, "its coordinator has no hold of it by this owner any more");
        } else if (byOwner.get(held.owner()) == held) {
            held.proved(proof);
            if (held.isDead()) {
                returned(held, proof);
            } else if (held.prolonged(proof)) {
                Seams.leaseEvents().renewed(held.owner(), proof.sentAt(), proof.timeLeftNanos());
            }
        }
    }

    private static void returned(HeldLock held, Proof proof) {
        if (held.matters() && Deadline.end(proof.sentAt(), proof.timeLeftNanos()) - System.nanoTime() > 0) {
            Lease anew = Seams.leaseEvents().returned(held.owner(), proof);
            if (anew != null) {
                held.begun(anew);
            }
        }
    }

    /** Looks no later than that, however late a look at holds of longer terms would come. */
    private synchronized void lookWithin(long nanos) {
        long wait = Math.max(OFTEN_NANOS, Math.min(SELDOM_NANOS, nanos));
        long at = System.nanoTime() + wait;
        if (next != null && nextAt - at <= 0) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        next = timer.schedule(this::lookAtAll, wait, TimeUnit.NANOSECONDS);
        nextAt = at;
    }

    private synchronized void looks() {
        next = null;
    }

    private void lookAtAll() {
        looks();
        long soonest = SELDOM_NANOS;
        try {
            for (HeldLock held : byOwner.values()) {
                if (held.isOver()) {
                    remove(held);
                } else if (held.matters() && !held.isAsking()) {
                    if (dueInNanos(held) <= 0) {
                        ask(held);
                    }
                    soonest = Math.min(soonest, dueInNanos(held));
                }
            }
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
        }
        if (!byOwner.isEmpty()) {
            lookWithin(soonest);
        }
    }

    private static long dueInNanos(HeldLock held) {
        return term(held) - held.sinceAskedNanos();
    }

    private static long term(HeldLock held) {
        return held.proof().timeLeftNanos() / ASKED_IN_A_TERM;
    }
}
