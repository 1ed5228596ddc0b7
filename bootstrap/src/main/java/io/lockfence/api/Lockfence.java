/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.api;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The entry to the leases of the current thread. All methods are thread safe, and do nothing special where there is no agent. */
public final class Lockfence {
    private static final int DEEPEST = 50;

    private Lockfence() {}

    /** Whether the agent is in this JVM, in any mode but off. */
    public static boolean isPresent() {
        return Seams.leaseEvents() != null;
    }

    /**
     * The leases that the current thread's work is under, oldest first: of locks that it holds, of whoever gave it the work, or of the request's caller. Never
     * null; also those that are dead or were given back, while the work goes on under them.
     */
    public static List<HeldLease> leases() {
        return Arrays.stream(LeaseContext.current()).map(HeldLease::new).toList();
    }

    /**
     * Runs work under a lease, and those of the current thread.
     *
     * @param lease whatever has become of it: what the work sends is judged by that
     * @param work called once, on the current thread
     * @return what the work returns
     * @throws Exception what the work throws
     */
    public static <T> T under(HeldLease lease, Callable<T> work) throws Exception {
        return under(with(LeaseContext.current(), lease.lease()), work);
    }

    /** The same for work that returns nothing and throws nothing checked. */
    public static void run(HeldLease lease, Runnable work) {
        LeaseContext before = LeaseContext.beginUnit(with(LeaseContext.current(), lease.lease()));
        try {
            work.run();
        } finally {
            end(before);
        }
    }

    /**
     * Work that runs under the leases of the current thread wherever it is called, any number of times: for queues and threads that Lockfence does not see work
     * going through. It runs under those alone, not under what else is on the thread that runs it.
     */
    public static Runnable carrying(Runnable work) {
        Lease[] leases = LeaseContext.current();
        return () -> {
            LeaseContext before = LeaseContext.beginUnit(leases);
            try {
                work.run();
            } finally {
                end(before);
            }
        };
    }

    /** The same for work that returns something. */
    public static <T> Callable<T> carrying(Callable<T> work) {
        Lease[] leases = LeaseContext.current();
        return () -> under(leases, work);
    }

    /**
     * The refusal that a failure is, or that has led to it: among the exception, its causes and what they suppress. Empty if it is something else.
     *
     * @param thrown may be null
     */
    public static Optional<FencedException> refusal(Throwable thrown) {
        List<Throwable> all = new ArrayList<>();
        if (thrown != null) {
            all.add(thrown);
        }
        for (int i = 0; i < all.size() && i < DEEPEST; i++) {
            Throwable one = all.get(i);
            if (one instanceof FencedException refusal) {
                return Optional.of(refusal);
            }
            if (one.getCause() != null) {
                all.add(one.getCause());
            }
            all.addAll(Arrays.asList(one.getSuppressed()));
        }
        return Optional.empty();
    }

    private static <T> T under(Lease[] leases, Callable<T> work) throws Exception {
        LeaseContext before = LeaseContext.beginUnit(leases);
        try {
            return work.call();
        } finally {
            end(before);
        }
    }

    private static void end(LeaseContext before) {
        Units.end(
                before,
                "work of the service on thread " + Thread.currentThread().getName());
    }

    private static Lease[] with(Lease[] leases, Lease more) {
        if (Arrays.asList(leases).contains(more)) {
            return leases;
        }
        Lease[] all = Arrays.copyOf(leases, leases.length + 1);
        all[leases.length] = more;
        return all;
    }
}
