/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Workers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way back to Consul for one session that acquired one key. Its token is the {@code ModifyIndex} that was read after the acquisition, with the session beside it; writes
 * to the key move that number on, and the token stays. {@code LockIndex} is none: any write that acquires nothing sets it to 0, and it begins anew with the key.
 *
 * <p>Questions are sent by the service's own client, on a thread of Lockfence's: they take as long as that client lets a request take, which may be minutes.
 */
final class KeyCoordinator implements Coordinator {
    /** How long a question waits for its answer, and an acquire call for its token, at most. */
    static final long BOUND_MILLIS = 2_000;

    /** For how long a hold is believed in that Consul was not asked about: anybody, and any check, may have ended its session. */
    static final long BELIEVED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long AGAIN_MILLIS = 100;

    /** A question that has had no answer for so long stands in the way of no other. */
    private static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * BOUND_MILLIS);

    private final Put acquisition;
    private final boolean asks;
    /** What the acquisition was found to be, once it was. */
    private volatile Sight first;

    private CompletableFuture<Sight> pending;
    private long pendingAt;

    /** @param asks whether Consul may be asked; if not, what the service's own requests told must do */
    KeyCoordinator(Put acquisition, boolean asks) {
        this.acquisition = acquisition;
        this.asks = asks;
    }

    String owner() {
        return Holds.owner(acquisition.key(), acquisition.acquires());
    }

    Sight first() {
        return first;
    }

    @Override
    public boolean verifies() {
        return asks && !Sessions.term(acquisition.acquires()).bounded();
    }

    @Override
    public CompletionStage<Proof> ask() {
        CompletionStage<Proof> answer =
                asks ? Holds.within(question().thenApply(this::proof), BOUND_MILLIS) : unasked();
        return answer.thenApply(this::confirmed);
    }

    private Proof confirmed(Proof proof) {
        LeaseEvents events = Seams.leaseEvents();
        if (proof.held() && events != null) {
            events.confirmed(owner(), proof.sentAt(), proof.timeLeftNanos());
        }
        return proof;
    }

    /** The first question, after an acquisition that was confirmed. Where Consul has no leader for a moment, it is asked again. */
    CompletionStage<Proof> prove() {
        if (!asks) {
            return unasked();
        }
        CompletableFuture<Proof> proved = new CompletableFuture<>();
        prove(proved, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BOUND_MILLIS - 2 * AGAIN_MILLIS));
        return Holds.within(proved, BOUND_MILLIS);
    }

    private void prove(CompletableFuture<Proof> proved, long until) {
        question().thenApply(this::proof).whenComplete((proof, failure) -> {
            if (failure == null) {
                proved.complete(proof);
            } else if (!(unwrapped(failure) instanceof RanOut) && System.nanoTime() - until < 0) {
                Holds.later(() -> prove(proved, until), AGAIN_MILLIS);
            } else {
                proved.completeExceptionally(failure);
            }
        });
    }

    /** One at a time, however many want to know: each has a thread. */
    private synchronized CompletableFuture<Sight> question() {
        long now = System.nanoTime();
        if (pending != null && !pending.isDone() && now - pendingAt < STUCK_NANOS) {
            return pending;
        }
        CompletableFuture<Sight> asked = new CompletableFuture<>();
        pending = asked;
        pendingAt = now;
        Workers.onWorker(() -> {
                    try {
                        asked.complete(acquisition.connection().look(acquisition.key(), acquisition.access()));
                    } catch (Throwable t) {
                        asked.completeExceptionally(t);
                    }
                })
                .run();
        return asked;
    }

    private Proof proof(Sight sight) {
        Sight before = first;
        if (!sight.isOf(acquisition.acquires()) || before != null && !sight.isSameHoldAs(before)) {
            return Proof.notHeld(sight.sentAt());
        }
        if (before == null) {
            before = sight;
            first = sight;
        }
        return new Proof(sight.sentAt(), true, before.modifyIndex(), left(sight.sentAt()), 1);
    }

    /** Of an answer to what was asked then. */
    private long left(long sentAt) {
        Sessions.Term term = Sessions.term(acquisition.acquires());
        if (!term.bounded()) {
            return BELIEVED_NANOS;
        }
        long left = Math.min(term.end() - sentAt, Math.min(term.ttlNanos(), BELIEVED_NANOS));
        if (left <= 0) {
            throw new RanOut();
        }
        return left;
    }

    private CompletionStage<Proof> unasked() {
        long now = System.nanoTime();
        Sessions.Term term = Sessions.term(acquisition.acquires());
        if (!term.bounded()) {
            return CompletableFuture.completedFuture(new Proof(now, true, 0, BELIEVED_NANOS, 1));
        }
        long left = term.end() - now;
        return left > 0
                ? CompletableFuture.completedFuture(new Proof(now, true, 0, left, 1))
                : CompletableFuture.failedFuture(new RanOut());
    }

    /** Why no token could be had, for the service's operator. */
    String failure(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        String what = "the lock's key " + acquisition.key();
        if (cause instanceof TimeoutException) {
            return "Consul did not answer within " + BOUND_MILLIS + " ms when asked for " + what
                    + "; it is overloaded or cut off";
        }
        if (cause instanceof RanOut) {
            return "the session " + acquisition.acquires()
                    + " was last renewed longer ago than its TTL, so that Consul may end it at any time: renew it from before the acquisition, twice in a TTL at least";
        }
        return "Consul could not be asked for " + what + ": " + cause;
    }

    /** What was found when an acquisition was confirmed and its session did not have the key. */
    String nothing() {
        return "Consul confirmed the acquisition, but when its token was asked for, the key " + acquisition.key()
                + " did not belong to the session " + acquisition.acquires()
                + " any more: the key was deleted or given back, or the session was ended, in between";
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    @Override
    public CompletionStage<Proof> raiseAbove(long token) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException(
                        "Consul's indexes cannot be raised: if the servers were rebuilt or restored from a snapshot, raise `generation` in the rule of this lock"));
    }

    /** The key belongs to its session, which Consul may end at any time: no extension, and no loss. */
    private static final class RanOut extends RuntimeException {
        private static final long serialVersionUID = 1;

        RanOut() {
            super("its session was not renewed in time", null, false, false);
        }
    }
}
