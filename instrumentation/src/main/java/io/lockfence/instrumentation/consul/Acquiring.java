/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.HeldLock;
import io.lockfence.instrumentation.LeasedFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * One write of the service's that acquires a key which a rule names: from the call to its lease, which is there before the call returns. Only what Consul has confirmed begins
 * one.
 */
final class Acquiring {
    private final Put put;
    private final String owner;
    private final boolean process;
    private final boolean asks;
    /** What the owner had when the write was sent; null for nothing. */
    private final HeldLock before;

    private Acquiring(Put put, LeaseEvents events) {
        this.put = put;
        this.owner = Holds.owner(put.key(), put.acquires());
        this.process = events.coversProcess(ConsulLibrary.NAME, put.key());
        this.asks = events.asks(ConsulLibrary.NAME, put.key());
        this.before = Holds.of(owner);
    }

    /**
     * The service is about to write; a release ends its lease here.
     *
     * @param put null for a write of another kind
     * @return what {@link #written} is given; null if that has nothing to do
     */
    static Object writing(Put put) {
        if (put == null) {
            return null;
        }
        if (put.releases() != null) {
            Releases.releasing(put);
        }
        LeaseEvents events = Seams.leaseEvents();
        if (put.acquires() == null || events == null || !Holds.watched(put.key())) {
            return null;
        }
        return new Acquiring(put, events);
    }

    /**
     * The write has been answered.
     *
     * @param confirmed what Consul said; of no meaning with a failure
     * @param failure null if there was an answer
     */
    static void written(Object entered, boolean confirmed, Throwable failure) {
        if (!(entered instanceof Acquiring acquiring)) {
            return;
        }
        if (failure != null) {
            Sessions.refused(acquiring.put.acquires(), failure);
        } else if (confirmed) {
            acquiring.acquired();
        } else if (acquiring.before != null) {
            // Somebody else has it, or its lock-delay runs; or has had it when this was sent.
            Holds.ask(acquiring.before);
        }
    }

    private void acquired() {
        LeaseContext context = process ? null : LeasedFuture.contextOfCaller();
        Holds.inTurn(owner, () -> {
            KeyCoordinator coordinator = new KeyCoordinator(put, asks);
            Proof proof = null;
            String why;
            try {
                proof = answer(coordinator.prove().toCompletableFuture());
                why = proof.held() ? null : coordinator.nothing();
            } catch (CompletionException e) {
                why = coordinator.failure(e);
            }
            Holds.begin(new Holds.Told(put, coordinator, proof, why, asks, process), context);
        });
    }

    /** An interrupt is the service's, for later: the answer comes, or a time-out does. */
    private static Proof answer(Future<Proof> proving) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return proving.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new CompletionException(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
