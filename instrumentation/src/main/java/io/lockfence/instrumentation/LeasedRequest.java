/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;

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
        Lease[] carried = Outgoing.under();
        return carried == null ? null : new LeasedRequest(LeaseContext.current(), carried);
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
        if (under.length > 0) {
            throw Outgoing.unknown(under, fault);
        }
    }
}
