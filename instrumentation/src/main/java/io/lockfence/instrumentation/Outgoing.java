/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import java.io.IOException;
import java.util.Objects;

/** Refusals of requests that go out, as they travel through clients. */
public final class Outgoing {
    private Outgoing() {}

    /** As a service meets it where it sends a request. */
    public static IOException refused(FencedException refusal) {
        return new IOException(refusal.getMessage(), refusal);
    }

    /** The refusal of what {@link #refused} made; null for all else, whatever its cause is. */
    public static FencedException refusal(Throwable thrown) {
        return thrown != null
                        && thrown.getClass() == IOException.class
                        && thrown.getCause() instanceof FencedException refusal
                        && Objects.equals(refusal.getMessage(), thrown.getMessage())
                ? refusal
                : null;
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
