/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.postgresql.AdvisoryHold.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The advisory locks of one session. A lock of the session and one of the transaction by the same name are one to the server, and here. */
final class AdvisoryHolds {
    /** Sessions whose next statement must be looked at whatever it says: it may end a transaction, or what they hold is not certain. */
    private static final AtomicInteger ATTENTIVE = new AtomicInteger();

    /** Those with a lease, by name: a thread may give back in one session what it took in another. Bounded by the leases. */
    private static final Map<String, List<AdvisoryHold>> LEASED = new ConcurrentHashMap<>();

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final PgSession session;
    private final long number = NUMBERS.incrementAndGet();
    private final Map<String, AdvisoryHold> byName = new ConcurrentHashMap<>();
    /** By the thread that runs the statement. */
    private final Map<Thread, AdvisoryCall> calls = new ConcurrentHashMap<>();

    private boolean attentive;
    private volatile boolean uncertain;
    private volatile Thread closing;

    /** That answered last; 0 before. */
    private int backend;

    /** Whether its connection was seen to change backends: what is taken for the session there is bound to none. */
    private boolean swaps;
    /** Whether it is known that numbers can be had in its database. */
    boolean numbers;

    int backend() {
        return backend;
    }

    boolean swaps() {
        return swaps;
    }

    /** Another backend has answered than before, or the first. */
    void answeredBy(int process) {
        if (backend != 0 && backend != process) {
            swaps = true;
            loseAll("another backend answers on its connection (process " + process + ", before " + backend
                    + "): a pooler between, such as PgBouncer in transaction mode, has swapped the session");
        }
        backend = process;
    }

    /** Inside {@code commit()}. */
    boolean committing;

    AdvisoryHolds(PgSession session) {
        this.session = session;
    }

    static boolean anyAttentive() {
        return ATTENTIVE.get() > 0;
    }

    PgSession session() {
        return session;
    }

    String owner(String name) {
        return AdvisoryLocksLibrary.NAME + ' ' + number + ' ' + name;
    }

    void begins(AdvisoryCall call) {
        calls.put(Thread.currentThread(), call);
    }

    void ends(AdvisoryCall call) {
        calls.remove(Thread.currentThread(), call);
    }

    /** The statement that the current thread has under way; null if it has none of ours. */
    AdvisoryCall underWay() {
        return calls.get(Thread.currentThread());
    }

    AdvisoryHold of(String name) {
        return byName.get(name);
    }

    List<AdvisoryHold> all() {
        return new ArrayList<>(byName.values());
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    void put(AdvisoryHold hold) {
        AdvisoryHold before = byName.put(hold.name(), hold);
        if (before != null) {
            unlist(before);
        }
        if (hold.leased()) {
            LEASED.compute(hold.name(), (name, known) -> {
                List<AdvisoryHold> more = known == null ? new ArrayList<>(1) : new ArrayList<>(known);
                more.add(hold);
                return more;
            });
        }
        attend();
    }

    void remove(AdvisoryHold hold) {
        byName.remove(hold.name(), hold);
        unlist(hold);
        attend();
    }

    private static void unlist(AdvisoryHold hold) {
        LEASED.computeIfPresent(hold.name(), (name, known) -> {
            List<AdvisoryHold> fewer = new ArrayList<>(known);
            fewer.remove(hold);
            return fewer.isEmpty() ? null : fewer;
        });
    }

    /** Those of this name that the current thread took, in whatever session. */
    static List<AdvisoryHold> ofThisThread(String name) {
        List<AdvisoryHold> here = new ArrayList<>();
        for (AdvisoryHold hold : LEASED.getOrDefault(name, List.of())) {
            if (hold.ofThisThread()) {
                here.add(hold);
            }
        }
        return here;
    }

    /** A lease by this name has ended that may be of another session: it is known no more. */
    static void forget(AdvisoryHold hold) {
        unlist(hold);
    }

    boolean hasOfTransaction() {
        for (AdvisoryHold hold : byName.values()) {
            if (hold.ofTransaction()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the server is to be asked as soon as it can be. */
    boolean uncertain() {
        return uncertain;
    }

    void uncertain(boolean now) {
        uncertain = now;
        attend();
    }

    boolean attentive() {
        return attentive;
    }

    private synchronized void attend() {
        boolean now = uncertain || hasOfTransaction();
        if (now != attentive) {
            attentive = now;
            ATTENTIVE.addAndGet(now ? 1 : -1);
        }
    }

    /** The service, or its pool, is closing the connection on this thread; null when that is over. */
    void closing(Thread by) {
        closing = by;
    }

    /** The transaction has ended, and with it its locks. */
    void transactionEnded() {
        for (AdvisoryHold hold : byName.values()) {
            if (hold.ofTransaction()) {
                release(hold);
            }
        }
    }

    /** The service has given it back. */
    void release(AdvisoryHold hold) {
        remove(hold);
        if (hold.leased()) {
            Seams.leaseEvents().released(hold.owner());
        }
    }

    /** It is gone, without the service's doing. */
    void lose(AdvisoryHold hold, String why) {
        hold.state(State.LOST);
        if (hold.leased()) {
            Seams.leaseEvents().lost(hold.owner(), why);
        } else {
            remove(hold);
        }
    }

    /** All are gone with the session; whoever uses its connection is told so. */
    void loseAll(String why) {
        LeaseEvents events = Seams.leaseEvents();
        for (AdvisoryHold hold : byName.values()) {
            if (hold.state() != State.LOST) {
                lose(hold, why);
                events.told(hold.owner());
            }
        }
        uncertain(false);
    }

    /**
     * The connection has ended. If its service closed it where it took the lock, that gives the lock back; if a pool did, or a failure, the service does not know yet, and its lease stays where it is.
     */
    void connectionEnded() {
        for (AdvisoryHold hold : byName.values()) {
            if (closing == Thread.currentThread() && hold.ofThisThread()) {
                release(hold);
            }
        }
        loseAll("its connection was closed or has failed, and with the database session went the lock");
    }
}
