/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;
import java.util.Arrays;

/**
 * A request that the service has asked for, with the leases that were on its thread then: by reference, for every attempt at it, on
 * whatever thread that is made, and for what the client calls back. Thread safe.
 *
 * <p>Two things are told apart: what the service does in callbacks goes on under its leases wherever there are some; what the request carries is asked for only where
 * rules look at requests.
 */
public final class LeasedRequest {
    private final Lease[] under;
    /** What stands for them with the request; null where no rule looks at requests. */
    private final Lease[] carried;

    private LeasedRequest(Lease[] under, Lease[] carried) {
        this.under = under;
        this.carried = carried;
    }

    /** What the current thread asks for now; null if it is under no lease, and no rule looks at it either. Without leases in the JVM it reads one field. */
    public static LeasedRequest ofThisThread() {
        return LeaseContext.idle() ? null : here();
    }

    /** The same where only the request matters, and nothing is called back: null as well if no rule looks at it. */
    public static LeasedRequest asking() {
        LeasedRequest here = ofThisThread();
        return here != null && here.asks() ? here : null;
    }

    private static LeasedRequest here() {
        Lease[] under = LeaseContext.current();
        Lease[] carried = carried(under);
        return under.length == 0 && carried == null ? null : new LeasedRequest(under, carried);
    }

    private static Lease[] carried(Lease[] under) {
        try {
            Effects effects = Seams.effects();
            return effects != null && effects.concerned(under) ? effects.carried(under) : null;
        } catch (Throwable t) {
            Seams.fault(t);
            return under.length == 0 ? null : under;
        }
    }

    /** The same, never null, and always asked about: for a request object that was sent before, and may carry what it carried then. */
    public static LeasedRequest again() {
        Lease[] under = LeaseContext.current();
        Lease[] carried = carried(under);
        return new LeasedRequest(under, carried == null ? under : carried);
    }

    /** One request that was asked for in two places: under the leases of both. */
    public LeasedRequest and(LeasedRequest later) {
        Lease[] all = under;
        for (Lease lease : later.under) {
            if (!Arrays.asList(all).contains(lease)) {
                all = Arrays.copyOf(all, all.length + 1);
                all[all.length - 1] = lease;
            }
        }
        if (all.length > 0) {
            return new LeasedRequest(all, asks() || later.asks() ? all : null);
        }
        // What the work has outlived by now, unless it was asked for the second time where that is not known.
        return later.carried == null || later.carried.length == 0 && carried != null ? this : later;
    }

    /** What was on the thread; never changed. What the client calls back runs under it. */
    public Lease[] under() {
        return under;
    }

    /** Whether any rule looks at requests. If not, this one is to be sent as it is. */
    public boolean asks() {
        return carried != null;
    }

    /**
     * What the next attempt carries; to be asked only where {@link #asks()}. May block for claims, the first time. For where a client would take an {@code IOException} for a
     * failure of the network and try again.
     *
     * @param method in capitals
     * @param url where the attempt goes
     * @return the only value of {@link Effects#HEADER}; null if the attempt must carry none
     * @throws FencedException if nothing may be sent
     */
    public String ask(String method, String url) {
        try {
            Effects effects = Seams.effects();
            return effects == null || carried == null ? null : effects.requesting(carried, method, url);
        } catch (FencedException refusal) {
            throw refusal;
        } catch (Throwable t) {
            fault(t);
            return null;
        }
    }

    /**
     * Asks ahead of the attempt: on the thread of the service's call, where claims may block, and where a request has waited, so that one which is refused takes
     * no connection. What a request under no lease may do is asked once, at the attempt.
     *
     * @throws FencedException if nothing may be sent
     */
    public void askAhead(String method, String url) {
        if (under.length > 0) {
            String unused = ask(method, url);
        }
    }

    /** As {@link #ask}, with the refusal as the service is to see it. */
    public String header(String method, String url) throws IOException {
        try {
            return ask(method, url);
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        }
    }

    /**
     * A fault of ours, met while the request was about to be sent: it goes on where it is under no lease, or nothing was to be asked.
     *
     * @throws FencedException where it is: it would go out unfenced
     */
    public void fault(Throwable fault) {
        Seams.fault(fault);
        if (under.length > 0 && asks()) {
            throw Outgoing.unknown(under, fault);
        }
    }

    /** As {@link #fault}, with the refusal as the service is to see it. */
    public void failed(Throwable fault) throws IOException {
        try {
            fault(fault);
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        }
    }
}
