/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.LeasedFuture;
import io.lockfence.instrumentation.MissingMember;
import io.lockfence.instrumentation.Workers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One call of {@code lock} or {@code campaign}, which a rule names: from the call to its lease. That is there before the service's future completes.
 *
 * <p>A thread that waited in vain goes on without the lock, but its place in the line stays, and etcd may give it the lock later, or say so: the lease then begins only for
 * whoever asks the future again.
 */
final class Acquiring implements LeasedFuture.Waits {
    /**
     * What was called.
     *
     * @param lock the name, with the client's namespace
     * @param leaseId of etcd's lease
     * @param process whether it is leadership, of all threads
     * @param asks whether etcd may be asked
     */
    record Call(String lock, long leaseId, boolean process, boolean asks) {}

    /**
     * etcd's word, and what it is worth.
     *
     * @param owner the key
     * @param coordinator null if Lockfence failed on it
     * @param proof null if there is none
     * @param failure why; or why a proof says that nothing is held
     */
    record Told(String owner, KeyCoordinator coordinator, Proof proof, String failure) {
        Proof proofOrNone() {
            return proof == null ? Proof.notHeld(System.nanoTime()) : proof;
        }
    }

    private final Connection connection;
    private final Call call;
    private final boolean election;

    /** Of the thread that the lease goes on; null for none. */
    private final LeaseContext context;

    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean gaveUp;
    /** Whether the service's future is, or is about to be. */
    private volatile boolean completed;

    private Told told;
    private volatile Lease lease;

    private Acquiring(Connection connection, Call call, boolean election) {
        this.connection = connection;
        this.call = call;
        this.election = election;
        this.context = call.process() ? null : LeasedFuture.contextOfCaller();
        if (context != null) {
            context.expecting();
        }
    }

    /** The service calls {@code lock}. Returns what {@link #called} is given, or null if no rule names the lock. */
    static Object locking(Object client, Object name, long leaseId) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null || name == null) {
            return null;
        }
        Connection connection;
        String lock;
        try {
            connection = Connection.of(client);
            lock = Connection.text(connection.full(name));
        } catch (IllegalStateException e) {
            MissingMember.tell(EtcdLibrary.NAME, e);
            throw e;
        }
        if (!Holds.watched(lock)) {
            return null;
        }
        boolean process = events.coversProcess(EtcdLibrary.NAME, lock);
        return new Acquiring(connection, new Call(lock, leaseId, process, events.asks(EtcdLibrary.NAME, lock)), false);
    }

    /** The service calls {@code campaign}. */
    static Object campaigning(Object client, Object name, long leaseId) {
        LeaseEvents events = Seams.leaseEvents();
        if (events == null || name == null) {
            return null;
        }
        Connection connection;
        try {
            connection = Connection.of(client);
        } catch (IllegalStateException e) {
            events.degraded(
                    EtcdLibrary.NAME,
                    "an election client of jetcd before 0.7 that is older than Lockfence cannot be asked for its leader key, and is not fenced: "
                            + e.getMessage());
            return null;
        }
        String lock = Connection.text(connection.full(name));
        if (!Holds.watched(lock)) {
            return null;
        }
        if (!events.coversProcess(EtcdLibrary.NAME, lock)) {
            events.unsupported(EtcdLibrary.NAME, "Election without `scope: process` in its rule", lock);
            return null;
        }
        return new Acquiring(connection, new Call(lock, leaseId, true, events.asks(EtcdLibrary.NAME, lock)), true);
    }

    /**
     * The method returns, or throws.
     *
     * @return the future that the service gets instead, or null to leave it
     */
    static Object called(Object entered, Object future) {
        if (!(entered instanceof Acquiring acquiring)) {
            return null;
        }
        if (!(future instanceof CompletableFuture<?>)) {
            acquiring.end();
            return null;
        }
        @SuppressWarnings("unchecked")
        CompletableFuture<Object> source = (CompletableFuture<Object>) future;
        LeasedFuture<Object> leased =
                new LeasedFuture<>(acquiring::leaseOfContinuation, acquiring.context, source, acquiring);
        source.whenComplete((response, failure) -> {
            if (failure != null) {
                acquiring.end();
                leased.settle(null, failure);
            } else {
                acquiring.answered(response, () -> leased.settle(response, null));
            }
        });
        return leased;
    }

    /** @param completion completes the service's future, whatever goes wrong here */
    private void answered(Object response, Runnable completion) {
        ask(response).whenComplete((answer, fault) -> {
            Told worth = answer;
            if (fault != null) {
                Seams.fault(fault);
                worth = broken(fault);
            }
            synchronized (this) {
                told = worth;
            }
            Runnable rest = () -> {
                try {
                    if (!gaveUp) {
                        begin(context);
                        withdraw();
                    }
                } catch (RuntimeException | Error e) {
                    Seams.fault(e);
                }
                end();
                completed = true;
                completion.run();
            };
            if (Seams.leaseEvents().claimsAtAcquire(EtcdLibrary.NAME, call.lock())) {
                Workers.onWorker(rest).run();
            } else {
                rest.run();
            }
        });
    }

    private CompletionStage<Told> ask(Object response) {
        try {
            byte[] key = election ? connection.keyOfCampaign(response) : connection.keyOfLock(response);
            KeyCoordinator coordinator =
                    new KeyCoordinator(connection, key, call.leaseId(), call.asks(), connection.revision(response));
            return coordinator.prove().handle((proof, failure) -> {
                String why =
                        failure != null ? coordinator.failure(failure) : proof.held() ? null : coordinator.nothing();
                return new Told(Connection.exact(key), coordinator, proof, why);
            });
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private Told broken(Throwable fault) {
        String owner = call.lock() + '/' + Long.toHexString(call.leaseId());
        return new Told(
                Connection.exact(owner.getBytes(StandardCharsets.UTF_8)),
                null,
                null,
                "Lockfence failed on it: " + fault);
    }

    /** Begins the lease, once. Null while etcd has said nothing, or if no rule names the lock any more. */
    private synchronized Lease begin(LeaseContext on) {
        if (lease == null && told != null) {
            lease = Holds.begin(call, told, on);
        }
        return lease;
    }

    /** What is chained to the future runs under it, even where the thread that made the call went on without. */
    private Lease leaseOfContinuation() {
        synchronized (this) {
            return lease != null ? lease : begin(null);
        }
    }

    @Override
    public void gaveUp() {
        if (completed || context != null && LeasedFuture.contextOfCaller() != context) {
            // What was waited for in vain is work that has the lock; or whoever waited had nothing.
            return;
        }
        gaveUp = true;
        withdraw();
        end();
    }

    /** Where it came just too late, the thread has no lease. */
    private void withdraw() {
        Lease begun = lease;
        if (gaveUp && begun != null && context != null) {
            context.detach(begun);
        }
    }

    @Override
    public void told() {
        try {
            LeaseContext here = call.process() ? null : LeasedFuture.contextOfCaller();
            Lease begun = begin(here);
            if (begun != null && here != null && !begun.released() && !Holds.isOn(here, begun)) {
                Holds.join(here, begun);
            }
        } catch (RuntimeException | Error e) {
            Seams.fault(e);
        }
    }

    /** The call is settled: nothing more is expected on its thread. */
    private void end() {
        if (context != null && ended.compareAndSet(false, true)) {
            context.settled();
        }
    }
}
