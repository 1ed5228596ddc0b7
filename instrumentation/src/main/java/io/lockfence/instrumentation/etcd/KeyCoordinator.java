/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Proof;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way back to etcd for the owner of one key. Its token is the key's create revision: the one at which its owner got in line, and so the order of the owners. The
 * revision in the header of an answer is none: it is the same for an owner and for a waiter whose lease has ended, and higher when an owner asks again.
 *
 * <p>Asking does not prolong the lease; the service's own renewals are seen in the next answer.
 */
final class KeyCoordinator implements Coordinator {
    /** How long a question waits for its answer, and an acquire call for its token, at most. */
    static final long BOUND_MILLIS = 2_000;

    private static final long AGAIN_MILLIS = 100;

    private final Connection connection;
    private final byte[] key;
    private final long leaseId;
    private final boolean asks;
    private final long toldRevision;
    private volatile long createRevision;

    /**
     * @param key full
     * @param leaseId of etcd's lease
     * @param asks whether etcd may be asked; if not, what the service's own requests told must do
     * @param toldRevision at which the owner was told "acquired": a key that is younger was made for a later acquisition with the same lease
     */
    KeyCoordinator(Connection connection, byte[] key, long leaseId, boolean asks, long toldRevision) {
        this.connection = connection;
        this.key = key;
        this.leaseId = leaseId;
        this.asks = asks;
        this.toldRevision = toldRevision;
    }

    @Override
    public CompletionStage<Proof> ask() {
        return asks ? Holds.within(look(), BOUND_MILLIS) : unasked();
    }

    /**
     * The first question, of an owner that was told "acquired". Whoever has less than a second left is asked for again: jetcd renews leases of two seconds no sooner.
     */
    CompletionStage<Proof> prove() {
        if (!asks) {
            return unasked();
        }
        CompletableFuture<Proof> proved = new CompletableFuture<>();
        prove(proved, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BOUND_MILLIS - 2 * AGAIN_MILLIS));
        return Holds.within(proved, BOUND_MILLIS);
    }

    private void prove(CompletableFuture<Proof> proved, long until) {
        look().whenComplete((proof, failure) -> {
            if (failure == null) {
                proved.complete(proof);
            } else if (unwrapped(failure) instanceof NearlyOver && System.nanoTime() - until < 0) {
                Holds.later(() -> prove(proved, until), AGAIN_MILLIS);
            } else {
                proved.completeExceptionally(failure);
            }
        });
    }

    private CompletableFuture<Proof> look() {
        long began = System.nanoTime();
        return connection.look(key, leaseId).thenApply(sight -> {
            if (!sight.held()
                    || sight.createRevision() > toldRevision
                    || createRevision != 0 && createRevision != sight.createRevision()) {
                return Proof.notHeld(began);
            }
            createRevision = sight.createRevision();
            long left = Math.max(
                    TimeUnit.SECONDS.toNanos(sight.secondsLeft()), Grants.leftOfGrantNanos(leaseId, sight.sentAt()));
            if (left <= 0) {
                throw new NearlyOver();
            }
            return new Proof(sight.sentAt(), true, sight.createRevision(), left, 1);
        });
    }

    private CompletionStage<Proof> unasked() {
        long now = System.nanoTime();
        if (Grants.ended(leaseId)) {
            return CompletableFuture.completedFuture(Proof.notHeld(now));
        }
        long left = Grants.leftNanos(leaseId, now);
        return left > 0
                ? CompletableFuture.completedFuture(new Proof(now, true, 0, left, 1))
                : CompletableFuture.failedFuture(new NearlyOver());
    }

    /** Why no token could be had, for the service's operator. */
    String failure(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        String what = "the lock's key " + Connection.text(key);
        if (cause instanceof TimeoutException) {
            return "etcd did not answer within " + BOUND_MILLIS + " ms when asked for " + what
                    + "; it is overloaded or cut off";
        }
        if (cause instanceof NearlyOver) {
            return asks
                    ? "the etcd lease that " + what
                            + " belongs to has less than a second left: keep it alive from before lock()"
                    : "how long the etcd lease lasts that " + what
                            + " belongs to is not known, and etcd may not be asked";
        }
        return "etcd could not be asked for " + what + ": " + cause;
    }

    /** What was found when etcd said "acquired" and the key was not there. */
    String nothing() {
        return "etcd said \"acquired\", but the lock's key " + Connection.text(key)
                + " is not there, or belongs to another lease or acquisition: the etcd lease of this waiter ended while it waited, so that it owns nothing (etcd 3.4 does"
                + " not look); keep it alive from before lock()";
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
                        "etcd's revisions cannot be raised: if the cluster was rebuilt or restored from a snapshot, raise `generation` in the rule of this lock"));
    }

    /** The key is there, and what is left of its lease is too little to be told: no extension, and no loss. */
    private static final class NearlyOver extends RuntimeException {
        private static final long serialVersionUID = 1;

        NearlyOver() {
            super("less than a second is left", null, false, false);
        }
    }
}
