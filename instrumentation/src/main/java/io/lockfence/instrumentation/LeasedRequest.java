/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;

/**
 * A request that the service has asked for, with the leases that were on its thread then: by reference, for every attempt at it, on
 * whatever thread that is made. Thread safe.
 */
public final class LeasedRequest {
    private final Lease[] under;
    /** What stands for them with the request. */
    private final Lease[] carried;

    private LeasedRequest(Lease[] under, Lease[] carried) {
        this.under = under;
        this.carried = carried;
    }

    /** What the current thread asks for now; null if it could not matter. Without leases in the JVM it reads one field. */
    public static LeasedRequest ofThisThread() {
        if (LeaseContext.idle()) {
            return null;
        }
        Effects effects = Seams.effects();
        if (effects == null) {
            return null;
        }
        Lease[] under = LeaseContext.current();
        return effects.concerned(under) ? new LeasedRequest(under, effects.carried(under)) : null;
    }

    /** The same, never null: for a request object that was sent before, and may carry what it carried then. */
    public static LeasedRequest again() {
        Lease[] under = LeaseContext.current();
        return new LeasedRequest(under, under);
    }

    /** What was on the thread; never changed. */
    public Lease[] under() {
        return under;
    }

    /**
     * What the next attempt carries. May block for claims, the first time.
     *
     * @param method in capitals
     * @param url where the attempt goes
     * @return the only value of {@link Effects#HEADER}; null if the attempt must carry none
     * @throws FencedException if nothing may be sent
     */
    public String header(String method, String url) {
        try {
            Effects effects = Seams.effects();
            return effects == null ? null : effects.requesting(carried, method, url);
        } catch (FencedException refusal) {
            throw refusal;
        } catch (RuntimeException | Error e) {
            fault(e);
            return null;
        }
    }

    /**
     * A fault of ours: the request goes on where it is under no lease.
     *
     * @throws FencedException where it is: it would go out unfenced
     */
    public void fault(Throwable fault) {
        Seams.fault(fault);
        for (Lease lease : under) {
            lease.die(Lease.Death.UNUSABLE, "Lockfence failed on it: " + fault);
        }
        if (under.length > 0) {
            throw new FencedException(
                    Refusal.UNKNOWN,
                    under[0].resource(),
                    "Lockfence failed: it could not be checked that the lease still holds; nothing was sent. Please report"
                            + " this with the log line of the fault.",
                    fault);
        }
    }

    /** A refusal as clients of HTTP report it. */
    public static IOException refused(FencedException refusal) {
        return new IOException(refusal.getMessage(), refusal);
    }
}
