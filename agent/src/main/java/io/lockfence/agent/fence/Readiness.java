/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * Whether a database can be fenced by the user of a connection.
 *
 * @param state what stands in the way, if anything
 * @param version of the installed routines; 0 if there are none
 * @param serverVersion of the database server, as it numbers itself ({@code 180006}); for messages
 * @param message one sentence that says what is the case and what to do
 */
public record Readiness(State state, int version, int serverVersion, String message) {
    public Readiness {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(message, "message");
    }

    /** Whether claims and guards can run. */
    public boolean ready() {
        return state == State.READY;
    }

    /** What stands in the way. */
    public enum State {
        /** Nothing. */
        READY,
        /** The server is in recovery: it is never claimed. */
        STANDBY,
        /** Transactions of this user are read-only here, by the setting of server, database or user. */
        READ_ONLY,
        /** The server is older than what Lockfence supports. */
        SERVER_TOO_OLD,
        /** The fence table or its routines are missing. */
        MISSING,
        /** The routines are of an older version. */
        OUTDATED,
        /** The user may not use the routines. */
        NO_RIGHTS
    }
}
