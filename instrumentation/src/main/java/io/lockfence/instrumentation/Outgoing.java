/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;

/** What an integration of an HTTP client asks of the agent about requests that go out, and what becomes of our own bugs on the way. */
public final class Outgoing {
    private Outgoing() {}

    /**
     * The leases under which the current thread makes a call.
     *
     * @return never changed, maybe empty (a rule on requests under no lease); null if nothing of this call could matter
     */
    public static Lease[] under() {
        return LeaseContext.idle() ? null : concerned();
    }

    private static Lease[] concerned() {
        Lease[] under = LeaseContext.current();
        try {
            Effects effects = Seams.effects();
            return effects != null && effects.concerned(under) ? effects.carried(under) : null;
        } catch (Throwable t) {
            Seams.fault(t);
            return under.length == 0 ? null : under;
        }
    }

    /**
     * Whether a request may be sent now, and with what. For where a client would take an {@code IOException} for a failure of the network and try again.
     *
     * @param under what {@link #under()} said where the service made the call
     * @param method in capitals
     * @param url where this attempt goes
     * @return the value of {@link Effects#HEADER}; null if the request must carry none
     * @throws FencedException if nothing must be sent
     */
    public static String ask(Lease[] under, String method, String url) {
        try {
            Effects effects = Seams.effects();
            return effects == null ? null : effects.requesting(under, method, url);
        } catch (FencedException refusal) {
            throw refusal;
        } catch (Throwable t) {
            Seams.fault(t);
            if (under.length == 0) {
                return null;
            }
            throw unknown(under, t);
        }
    }

    /**
     * Asked ahead of the attempt: on the thread of the service's call, where claims may block, and where a request has waited, so that one which is refused takes
     * no connection. What a request under no lease may do is asked once, at the attempt: {@link #ask}.
     *
     * @throws FencedException if nothing must be sent
     */
    public static void askAhead(Lease[] under, String method, String url) {
        if (under.length > 0) {
            ask(under, method, url);
        }
    }

    /** As {@link #ask}, with the refusal as the service is to see it. */
    public static String header(Lease[] under, String method, String url) throws IOException {
        try {
            return ask(under, method, url);
        } catch (FencedException refusal) {
            throw refused(refusal);
        }
    }

    /** A bug of ours, met while a request under leases was about to be sent: it may go on if they are none. */
    public static void fault(Lease[] under, Throwable bug) throws IOException {
        Seams.fault(bug);
        if (under != null && under.length > 0) {
            throw refused(unknown(under, bug));
        }
    }

    /** As a service meets it where it sends a request. */
    public static IOException refused(FencedException refusal) {
        return new IOException(refusal.getMessage(), refusal);
    }

    /** The refusal that a client threw, or hands on as what made a call fail; null if it is none. */
    public static FencedException refusal(Throwable thrown) {
        if (thrown instanceof FencedException refusal) {
            return refusal;
        }
        return thrown != null && thrown.getCause() instanceof FencedException refusal ? refusal : null;
    }

    /** Poisons the leases, whose request cannot be judged because of a bug of ours. */
    static FencedException unknown(Lease[] under, Throwable bug) {
        for (Lease lease : under) {
            lease.die(Lease.Death.UNUSABLE, "Lockfence failed on it: " + bug);
        }
        return new FencedException(
                Refusal.UNKNOWN,
                under[0].resource(),
                "Lockfence failed: it could not be checked that the lease still holds; nothing was sent. Please report this with the log line"
                        + " of the fault.",
                bug);
    }
}
