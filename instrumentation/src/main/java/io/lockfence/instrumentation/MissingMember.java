/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;

/** A class of a library lacks what we know it by: its version is not of a shape that the integration knows, though its hooks were found. */
public final class MissingMember extends IllegalStateException {
    private static final long serialVersionUID = 1;

    MissingMember(String what) {
        super(what);
    }

    MissingMember(Throwable cause) {
        super(cause);
    }

    /**
     * Reports a library as inactive if this is why it could not be told which lock was taken: what its locks protect is refused then, in enforce mode. Of any other fault nothing is
     * concluded for locks to come.
     */
    public static void tell(String library, Throwable fault) {
        LeaseEvents events = Seams.leaseEvents();
        for (Throwable cause = fault; cause != null && events != null; cause = cause.getCause()) {
            if (cause instanceof MissingMember) {
                events.inactive(library, "its classes are not as they should be: " + cause.getMessage());
                return;
            }
        }
    }
}
