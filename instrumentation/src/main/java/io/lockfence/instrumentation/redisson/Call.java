/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.LeasedFuture;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One call of an acquire method by the service, for a lock that a rule names. The attempts that it makes find it here: those on the
 * calling thread by the thread, the retries of an asynchronous call, on Redisson's own threads, by the owner.
 */
final class Call {
    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();
    private static final Map<String, Deque<Call>> WAITING = new ConcurrentHashMap<>();

    final Object lock;
    final LockType type;
    final String name;
    final String rawName;
    final String field;
    final String owner;

    /** Of the thread that the lease goes on; null for none, and for a synchronous call: there it is the caller's. */
    final LeaseContext context;

    final boolean ownsThread;
    final boolean async;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Call outer;

    /** Whether the service asked for a lease time. */
    volatile boolean explicit;

    /** Whether an attempt of this call was seen. */
    volatile boolean attempted;

    /** The lease of an asynchronous call, once it has begun. */
    volatile Lease lease;

    /** What a synchronous call has acquired; its lease begins when the call returns. */
    volatile Pending acquired;

    /** An acquisition at the server that waits for the public call's success. */
    record Pending(Acquisition acquisition, RedisCoordinator coordinator, boolean asks, long grantedNanos) {}

    private Call(Object lock, LockType type, String name, long threadId, boolean explicit, boolean async) {
        Thread thread = Thread.currentThread();
        this.lock = lock;
        this.type = type;
        this.name = name;
        this.rawName = type.rawName(lock);
        this.field = type.field(lock, threadId);
        this.owner = Holds.owner(rawName, field);
        this.ownsThread = threadId == thread.getId();
        this.explicit = explicit;
        this.async = async;
        this.context = !async ? null : ownsThread ? LeaseContext.ofCurrentThread() : LeasedFuture.contextOfCaller();
    }

    /** A synchronous call on the current thread. */
    static Call sync(Object lock, LockType type, String name, boolean explicit) {
        Call call = new Call(lock, type, name, Thread.currentThread().getId(), explicit, false);
        call.enter();
        return call;
    }

    /** An asynchronous call, which lasts until {@link #end()}. */
    static Call async(Object lock, LockType type, String name, long threadId, boolean explicit) {
        Call call = new Call(lock, type, name, threadId, explicit, true);
        if (call.context != null) {
            call.context.expecting();
        }
        WAITING.compute(call.owner, (owner, calls) -> {
            Deque<Call> known = calls == null ? new ConcurrentLinkedDeque<>() : calls;
            known.addFirst(call);
            return known;
        });
        call.enter();
        return call;
    }

    /** An attempt that no call of a method we know has led to. */
    static Call unknown(Object lock, LockType type, String name, long threadId) {
        return new Call(lock, type, name, threadId, false, true);
    }

    /** The call that the current thread is in, if it is for this lock; else null. */
    static Call current(Object lock) {
        Call call = CURRENT.get();
        return call != null && call.lock == lock ? call : null;
    }

    /** The latest asynchronous call for an owner that is not settled, or null. */
    static Call waiting(String owner) {
        Deque<Call> calls = WAITING.get(owner);
        return calls == null ? null : calls.peekFirst();
    }

    private void enter() {
        outer = CURRENT.get();
        CURRENT.set(this);
    }

    /** The method has returned to the service. */
    void leave() {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    /** An asynchronous call is settled. */
    void end() {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        WAITING.computeIfPresent(owner, (key, calls) -> {
            calls.remove(this);
            return calls.isEmpty() ? null : calls;
        });
        if (context != null) {
            context.settled();
        }
    }
}
