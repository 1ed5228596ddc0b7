/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The leases on one thread during one unit of work, and, in front of it, the count of all that could make any woven call matter.
 *
 * <p>A context belongs to one thread but other threads may attach to it: an asynchronous acquisition completes elsewhere.
 *
 * <p>The count is read first: while it is zero a woven call costs one volatile read. Contexts are found in a table of our own and
 * not in a {@link ThreadLocal}: its first {@code get()} on a thread allocates a map (measured: 533 instead of 398 bytes for each
 * virtual thread) whenever any other thread holds a lease, and whoever wipes a thread's locals would take the lease with them.
 */
public final class LeaseContext {
    private static final Lease[] NONE = {};
    private static final AtomicInteger ACTIVE = new AtomicInteger();

    /** Chains of contexts by thread id; read without a lock, changed under the table's monitor. */
    private static final LeaseContext[] TABLE = new LeaseContext[1024];

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(LeaseContext[].class);

    /** Leases that cover every thread: on each context of the table, and on threads that have none. Changed under the table's monitor. */
    private static volatile Lease[] everywhere = NONE;

    private final WeakReference<Thread> thread;
    private volatile LeaseContext next;
    private volatile Lease[] leases = NONE;
    private volatile Object kept;
    /** Given to the unit of work when it began: not its own to leave behind. */
    private Lease[] inherited = NONE;
    /** The request that the unit of work is a turn of; null if it is none. */
    private volatile Reception reception;

    private int pending;
    private boolean ended;

    /** Of a scope: by what it is closed; null for a unit of work. Read and written by the own thread. */
    private Object scope;
    /** Of a scope: what it is in front of, out of the table as long; null if nothing was there. */
    private LeaseContext behind;

    private LeaseContext(Thread thread) {
        this.thread = new WeakReference<>(thread);
    }

    /** Whether nothing in this JVM could make a woven call matter: no lease on a thread, no open transaction under one. */
    public static boolean idle() {
        return ACTIVE.get() == 0;
    }

    /**
     * Counts something that makes woven calls matter: a lease for as long as it is on a thread, a transaction with a list, a rule on
     * writes under no lease.
     */
    public static void activate() {
        ACTIVE.incrementAndGet();
    }

    /** The opposite of {@link #activate()}, once for each. */
    public static void deactivate() {
        ACTIVE.decrementAndGet();
    }

    /** What is counted now; 0 when all leases and transactions have ended. */
    public static int active() {
        return ACTIVE.get();
    }

    /** The leases on the current thread, oldest first; the array is never changed, and empty if there is none. */
    public static Lease[] current() {
        if (idle()) {
            return NONE;
        }
        LeaseContext context = of(Thread.currentThread());
        return context == null ? everywhere : context.leases;
    }

    /**
     * The context of the current thread; made if there is none. Its owner is the unit of work that is under way: what is attached
     * after that unit's end goes nowhere.
     */
    public static LeaseContext ofCurrentThread() {
        Thread current = Thread.currentThread();
        LeaseContext context = of(current);
        if (context == null) {
            context = new LeaseContext(current);
            context.enter(current);
        }
        return context;
    }

    /** The leases on this thread, oldest first; the array is never changed. */
    public Lease[] leases() {
        return leases;
    }

    /**
     * Puts a lease on the thread, as its newest; nothing happens if it is there.
     *
     * @return false if the unit of work that this context belongs to has ended: the lease is on no thread
     */
    public synchronized boolean attach(Lease lease) {
        if (ended) {
            return false;
        }
        ownFromNowOn(lease);
        if (indexOf(lease) < 0) {
            leases = with(leases, lease);
        }
        return true;
    }

    private void ownFromNowOn(Lease lease) {
        Lease[] others = without(inherited, lease);
        if (others != inherited && others.length == 0) {
            deactivate();
        }
        inherited = others;
    }

    /**
     * A piece of work begins on this context's thread under leases that it was given, beside those that are there: until {@link #takeBack()}.
     *
     * @param given never changed
     */
    synchronized void lend(Lease[] given) {
        for (Lease lease : given) {
            if (indexOf(lease) < 0) {
                if (inherited.length == 0) {
                    activate();
                }
                inherited = with(inherited, lease);
                leases = with(leases, lease);
            }
        }
    }

    /** The work that leases were lent to has ended; also where none were. */
    synchronized void takeBack() {
        for (Lease lease : inherited) {
            leases = without(leases, lease);
        }
        giveBack();
    }

    private static Lease[] with(Lease[] all, Lease lease) {
        Lease[] longer = Arrays.copyOf(all, all.length + 1);
        longer[all.length] = lease;
        return longer;
    }

    /** Takes a lease off the thread. Returns whether it was there. */
    public synchronized boolean detach(Lease lease) {
        Lease[] others = without(leases, lease);
        boolean there = others != leases;
        leases = others;
        return there;
    }

    /** Puts a lease of the process on every thread, whatever unit of work it is in, and on those that begin later. */
    public static void attachEverywhere(Lease lease) {
        synchronized (TABLE) {
            Lease[] all = without(everywhere, lease);
            all = Arrays.copyOf(all, all.length + 1);
            all[all.length - 1] = lease;
            everywhere = all;
            forEach(context -> context.attach(lease));
        }
    }

    /** Takes a lease of the process off every thread. */
    public static void detachEverywhere(Lease lease) {
        synchronized (TABLE) {
            everywhere = without(everywhere, lease);
            forEach(context -> context.detach(lease));
        }
    }

    private static void forEach(Consumer<LeaseContext> action) {
        for (int slot = 0; slot < TABLE.length; slot++) {
            for (LeaseContext context = chain(slot); context != null; context = context.next) {
                action.accept(context);
            }
        }
    }

    /** The same array if it is not there. */
    private static Lease[] without(Lease[] all, Lease lease) {
        for (int i = 0; i < all.length; i++) {
            if (all[i] == lease) {
                if (all.length == 1) {
                    return NONE;
                }
                Lease[] others = new Lease[all.length - 1];
                System.arraycopy(all, 0, others, 0, i);
                System.arraycopy(all, i + 1, others, i, others.length - i);
                return others;
            }
        }
        return all;
    }

    /**
     * Begins a unit of work on the current thread: it starts without the leases that are there.
     *
     * @return what {@link #endUnit(LeaseContext)} puts back on the thread, or null
     */
    public static LeaseContext beginUnit() {
        if (idle()) {
            return null;
        }
        Thread current = Thread.currentThread();
        LeaseContext before = of(current);
        if (before != null) {
            before.leave(current);
        }
        return before;
    }

    /**
     * Begins a unit of work on the current thread under leases that it was given: those of whoever asked for it, whatever has become of them
     * since. They are not taken off it when they are released, and not reported when it ends.
     *
     * @param inherited never changed; empty for none
     * @return what {@link #endUnit(LeaseContext)} puts back on the thread, or null
     */
    public static LeaseContext beginUnit(Lease[] inherited) {
        return inherited.length == 0 ? beginUnit() : begin(inherited, null);
    }

    /**
     * Begins a unit of work on the current thread that is a turn of a request: under its leases, which may be none. What runs in it, and in no unit within it,
     * finds the request by {@link #currentReception()}. The JVM is not idle until it ends.
     *
     * @param request not null, and not answered
     * @return what {@link #endUnit(LeaseContext)} puts back on the thread, or null
     */
    public static LeaseContext beginUnit(Reception request) {
        Lease[] leases = request.leases();
        activate();
        return begin(leases, request);
    }

    private static LeaseContext begin(Lease[] given, Reception request) {
        if (given.length > 0) {
            activate();
        }
        LeaseContext before = beginUnit();
        Thread current = Thread.currentThread();
        LeaseContext unit = new LeaseContext(current);
        unit.reception = request;
        unit.inherited = given;
        unit.leases = given;
        unit.enter(current);
        return before;
    }

    /** The request that the current unit of work is a turn of; null if it is none. */
    public static Reception currentReception() {
        if (idle()) {
            return null;
        }
        LeaseContext context = of(Thread.currentThread());
        while (context != null && context.scope != null) {
            context = context.behind;
        }
        return context == null ? null : context.reception;
    }

    /**
     * Ends a unit of work on the current thread.
     *
     * @param before what {@link #beginUnit()} returned; put back on the thread
     * @return the leases that the unit left, or null; they are on no thread any more. Not those of the process
     */
    public static Lease[] endUnit(LeaseContext before) {
        if (before == null && idle()) {
            return null;
        }
        Thread current = Thread.currentThread();
        LeaseContext unit = withoutScopes(current, before);
        if (unit == before) {
            return null;
        }
        if (unit != null) {
            unit.leave(current);
        }
        if (before != null) {
            before.enter(current);
        }
        return unit == null ? null : unit.end();
    }

    /**
     * Within the unit of work on the current thread, a scope begins under leases that it was given, and not under those that are there: until
     * {@link #closeScope}, or the end of the unit.
     *
     * @param given never changed; empty for none
     * @param name by which it is closed; told apart by identity
     */
    static void openScope(Lease[] given, Object name) {
        Thread current = Thread.currentThread();
        LeaseContext scope = new LeaseContext(current);
        scope.scope = name;
        scope.behind = of(current);
        if (given.length > 0) {
            activate();
            scope.inherited = given;
            scope.leases = given;
        }
        if (scope.behind != null) {
            scope.behind.leave(current);
        }
        scope.enter(current);
    }

    /** Whether the current thread is in a scope of the unit of work that is under way. */
    static boolean isInScope() {
        LeaseContext context = of(Thread.currentThread());
        return context != null && context.scope != null;
    }

    /**
     * Closes a scope on the current thread, and those that were opened in it and left open. What they took stays on the thread. Nothing happens if the
     * unit of work that is under way has no such scope.
     */
    static void closeScope(Object name) {
        Thread current = Thread.currentThread();
        LeaseContext closed = of(current);
        while (closed != null && closed.scope != name) {
            closed = closed.scope == null ? null : closed.behind;
        }
        if (closed != null) {
            withoutScopes(current, closed);
            closed.close(current);
        }
    }

    /** Closes what is open on the current thread: its unit of work is over. */
    static void closeScopes() {
        withoutScopes(Thread.currentThread(), null);
    }

    /** Closes what is open in front of a context. Returns what is on the thread then. */
    private static LeaseContext withoutScopes(Thread current, LeaseContext upTo) {
        LeaseContext context = of(current);
        while (context != null && context.scope != null && context != upTo) {
            context.close(current);
            context = of(current);
        }
        return context;
    }

    private void close(Thread current) {
        leave(current);
        if (behind != null) {
            behind.enter(current);
        }
        Lease[] taken = end();
        if (taken != null) {
            ofCurrentThread().join(taken);
        }
    }

    /** Puts leases on the thread that were taken on it, in a part of the work that is over. */
    void join(Lease[] taken) {
        for (Lease lease : taken) {
            if (attach(lease)) {
                lease.joined(this);
                if (lease.released()) {
                    // Meanwhile, by another thread, which has not found it here.
                    detach(lease);
                }
            }
        }
    }

    /**
     * Announces that an acquisition may attach to this context: until {@link #settled()} it is kept on its thread (within its unit
     * of work), and the JVM is not idle.
     */
    public synchronized void expecting() {
        pending++;
        activate();
    }

    /** The opposite of {@link #expecting()}, once for each, on any thread. */
    public synchronized void settled() {
        if (pending > 0) {
            pending--;
            deactivate();
        }
    }

    /**
     * Keeps something with this unit of work until its end, in place of what was kept: of leases that were given back in it. The JVM is not
     * idle as long. Nothing happens if the unit has ended, or its thread.
     *
     * @param what not null
     */
    public synchronized void keep(Object what) {
        if (ended || abandoned()) {
            return;
        }
        if (kept == null) {
            activate();
        }
        kept = what;
    }

    /** What is kept with this unit of work; null if nothing. */
    public Object kept() {
        return kept;
    }

    /** What is kept with the unit of work on the current thread; null if nothing. */
    public static Object currentlyKept() {
        LeaseContext context = of(Thread.currentThread());
        return context == null ? null : context.kept;
    }

    /** Forgets what ended threads have left, and what tasks inherit that will never run. */
    public static void forgetEnded() {
        Inheritance.forgetCollected();
        for (int slot = 0; slot < TABLE.length; slot++) {
            synchronized (TABLE) {
                purge(slot);
            }
        }
    }

    private synchronized void giveBack() {
        if (inherited.length > 0) {
            inherited = NONE;
            deactivate();
        }
    }

    private synchronized void keepNothing() {
        if (kept != null) {
            kept = null;
            deactivate();
        }
    }

    private synchronized void leaveRequest() {
        if (reception != null) {
            reception = null;
            deactivate();
        }
    }

    /**
     * The unit of work that the current thread's context stands for is over: what was kept with it goes, and the context itself if nothing
     * is on it and nothing is expected. Only between two tasks: whoever had got it
     * before and attached to it now would attach to nothing.
     */
    static void trim() {
        Thread current = Thread.currentThread();
        LeaseContext context = of(current);
        if (context != null) {
            context.keepNothing();
            if (context.vacant()) {
                context.leave(current);
            }
        }
    }

    /** Whether the thread has ended: nothing more is sent from it, and nobody is left to unlock in its name. */
    public boolean abandoned() {
        Thread owner = thread.get();
        return owner == null || !owner.isAlive();
    }

    /** How many living threads hold leases, or expect one, now. Forgets what ended threads left. */
    public static int threads() {
        int count = 0;
        for (int slot = 0; slot < TABLE.length; slot++) {
            synchronized (TABLE) {
                purge(slot);
                for (LeaseContext context = chain(slot); context != null; context = context.next) {
                    if (!context.holdsNothing()) {
                        count++;
                    }
                }
            }
        }
        return count;
    }

    /** The context of a thread, or null. Exact for the current thread. */
    static LeaseContext of(Thread thread) {
        for (LeaseContext context = chain(slot(thread)); context != null; context = context.next) {
            if (context.thread.refersTo(thread)) {
                return context;
            }
        }
        return null;
    }

    private static LeaseContext chain(int slot) {
        return (LeaseContext) SLOT.getAcquire(TABLE, slot);
    }

    private static int slot(Thread thread) {
        return (int) thread.getId() & (TABLE.length - 1);
    }

    /** Links this context in front of its chain, and drops what ended threads left in it. Only its own thread may call. */
    private void enter(Thread current) {
        int slot = slot(current);
        synchronized (TABLE) {
            purge(slot);
            if (everywhere.length > 0 || leases.length > 0) {
                covered();
            }
            next = chain(slot);
            SLOT.setRelease(TABLE, slot, this);
        }
    }

    /** Takes the process's leases as they are now: they may have changed while the context was out of the table. */
    private synchronized void covered() {
        Lease[] own = own(leases);
        if (everywhere.length == 0) {
            // The same array where it can be: who compares leases compares arrays first.
            leases = own;
            return;
        }
        Lease[] all = Arrays.copyOf(own, own.length + everywhere.length);
        System.arraycopy(everywhere, 0, all, own.length, everywhere.length);
        leases = all;
    }

    /** Without those of the process. */
    private static Lease[] own(Lease[] leases) {
        Lease[] own = leases;
        for (Lease lease : leases) {
            if (lease.ofProcess()) {
                own = without(own, lease);
            }
        }
        return own;
    }

    /** Takes this context out of its chain. Only its own thread may call, so that no thread ever misses its own. */
    private void leave(Thread current) {
        synchronized (TABLE) {
            unlink(slot(current), this);
        }
    }

    private static void purge(int slot) {
        for (LeaseContext context = chain(slot); context != null; context = context.next) {
            if (context.abandoned()) {
                unlink(slot, context);
                for (LeaseContext each = context; each != null; each = each.behind) {
                    each.keepNothing();
                    each.giveBack();
                    each.leaveRequest();
                }
            }
        }
    }

    /** Keeps the successor in the context that is taken out: a reader that stands on it still gets to the end of the chain. */
    private static void unlink(int slot, LeaseContext context) {
        LeaseContext previous = chain(slot);
        if (previous == context) {
            SLOT.setRelease(TABLE, slot, context.next);
            return;
        }
        while (previous != null && previous.next != context) {
            previous = previous.next;
        }
        if (previous != null) {
            previous.next = context.next;
        }
    }

    private synchronized boolean vacant() {
        return reception == null && holdsNothing();
    }

    private synchronized boolean holdsNothing() {
        return pending == 0 && inherited.length == 0 && own(leases).length == 0;
    }

    private synchronized Lease[] end() {
        ended = true;
        keepNothing();
        Lease[] left = own(leases);
        for (Lease given : inherited) {
            left = without(left, given);
        }
        giveBack();
        leaveRequest();
        leases = NONE;
        return left.length == 0 ? null : left;
    }

    private int indexOf(Lease lease) {
        for (int i = 0; i < leases.length; i++) {
            if (leases[i] == lease) {
                return i;
            }
        }
        return -1;
    }
}
