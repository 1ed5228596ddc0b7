/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.locks;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Stands for the agent behind the seam: keeps leases as the protocol says, and everything that it heard. */
public final class Recorder implements LeaseEvents {
    public record Event(String kind, String owner, long sentAt, long nanos, String why) {}

    public record Began(Acquisition acquisition, Lease lease, Thread thread) {}

    private static final class Books {
        final Lease lease;
        final LeaseContext context;
        int holds;

        Books(Lease lease, LeaseContext context, int holds) {
            this.lease = lease;
            this.context = context;
            this.holds = holds;
        }
    }

    public final List<Event> events = new CopyOnWriteArrayList<>();
    public final List<Began> begun = new CopyOnWriteArrayList<>();
    public final List<String> unsupported = new CopyOnWriteArrayList<>();
    public final List<String> degraded = new CopyOnWriteArrayList<>();
    public final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private final Map<String, Books> books = new ConcurrentHashMap<>();
    public volatile Predicate<String> watched = lock -> true;
    public volatile Predicate<String> asked = lock -> true;
    public volatile boolean claimsAtAcquire;
    public volatile Predicate<String> process = lock -> false;
    public volatile Runnable beforeMint = () -> {};

    @Override
    public void told(String owner) {
        events.add(new Event("told", owner, 0, 0, null));
    }

    @Override
    public boolean watches(String library, String lock) {
        return watched.test(lock);
    }

    @Override
    public boolean asks(String library, String lock) {
        beforeMint.run();
        return asked.test(lock);
    }

    @Override
    public boolean claimsAtAcquire(String library, String lock) {
        return claimsAtAcquire;
    }

    @Override
    public boolean coversProcess(String library, String lock) {
        return process.test(lock);
    }

    @Override
    public synchronized Lease acquired(Acquisition acquisition) {
        Books known = books.get(acquisition.owner());
        boolean fresh = acquisition.proof() == null || acquisition.proof().holdCount() <= 1;
        if (known != null && !fresh) {
            known.holds = acquisition.proof().holdCount();
            known.lease
                    .deadline()
                    .extend(acquisition.proof().sentAt(), acquisition.proof().timeLeftNanos());
            begun.add(new Began(acquisition, known.lease, Thread.currentThread()));
            return known.lease;
        }
        if (known != null) {
            known.lease.die(Lease.Death.LOST, "a fresh hold");
        }
        boolean proved = acquisition.proof() != null && acquisition.proof().held();
        Lease lease = new Lease(
                acquisition.lock(),
                acquisition.lock(),
                UUID.randomUUID().toString().replace("-", ""),
                acquisition.owner(),
                0,
                proved ? acquisition.proof().token() : 0,
                proved
                        ? new Deadline(
                                acquisition.proof().sentAt(),
                                acquisition.proof().timeLeftNanos())
                        : new Deadline(System.nanoTime(), 0));
        if (!proved) {
            lease.die(Lease.Death.UNUSABLE, acquisition.failure());
        }
        if (known != null) {
            LeaseContext.deactivate();
            if (known.context != null) {
                known.context.detach(known.lease);
            }
        }
        LeaseContext.activate();
        books.put(
                acquisition.owner(),
                new Books(
                        lease,
                        acquisition.context(),
                        proved ? acquisition.proof().holdCount() : 1));
        if (acquisition.context() != null) {
            acquisition.context().attach(lease);
        }
        begun.add(new Began(acquisition, lease, Thread.currentThread()));
        return lease;
    }

    @Override
    public void renewed(String owner, long sentAt, long grantedNanos) {
        events.add(new Event("renewed", owner, sentAt, grantedNanos, null));
        Books known = books.get(owner);
        if (known != null) {
            known.lease.deadline().extend(sentAt, grantedNanos);
        }
    }

    @Override
    public void confirmed(String owner, long sentAt, long believedNanos) {
        events.add(new Event("confirmed", owner, sentAt, believedNanos, null));
        Books known = books.get(owner);
        if (known != null) {
            known.lease.deadline().extend(sentAt, believedNanos);
        }
    }

    @Override
    public void shortened(String owner, long sentAt, long grantedNanos) {
        events.add(new Event("shortened", owner, sentAt, grantedNanos, null));
        Books known = books.get(owner);
        if (known != null) {
            known.lease.deadline().shorten(sentAt, grantedNanos);
        }
    }

    @Override
    public void lost(String owner, String why) {
        events.add(new Event("lost", owner, 0, 0, why));
        Books known = books.get(owner);
        if (known != null) {
            known.lease.die(Lease.Death.LOST, why);
        }
    }

    @Override
    public synchronized boolean releasing(String owner) {
        Books known = books.get(owner);
        boolean last = known != null && --known.holds <= 0;
        events.add(new Event(last ? "released" : "left", owner, 0, 0, null));
        if (last) {
            books.remove(owner);
            known.lease.release();
            if (known.context != null) {
                known.context.detach(known.lease);
            }
            LeaseContext.deactivate();
        }
        return last;
    }

    @Override
    public void unsupported(String library, String type, String lock) {
        unsupported.add(type + " " + lock);
    }

    @Override
    public void degraded(String library, String why) {
        degraded.add(why);
    }

    @Override
    public void leftOver(Lease[] leases, String place) {}

    @Override
    public void taskEnded(LeaseContext context) {}

    public Began last() {
        return begun.get(begun.size() - 1);
    }

    public long count(String kind) {
        return events.stream().filter(event -> event.kind.equals(kind)).count();
    }

    public List<Event> of(String kind) {
        return events.stream().filter(event -> event.kind.equals(kind)).toList();
    }

    /** Leaves nothing behind for the next test. */
    public synchronized void close() {
        books.values().forEach(known -> {
            if (known.context != null) {
                known.context.detach(known.lease);
            }
            LeaseContext.deactivate();
        });
        books.clear();
    }
}
