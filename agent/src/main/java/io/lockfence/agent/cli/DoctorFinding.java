/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.util.Objects;

/**
 * One thing that the doctor has looked at.
 *
 * @param level how bad it is
 * @param what is the case
 * @param todo what to do about it; empty if nothing needs to be done
 */
record DoctorFinding(Level level, String what, String todo) {
    enum Level {
        /** As it should be. */
        OK,
        /** Works, and is worth knowing. */
        NOTE,
        /** Fencing does not work, or not as it seems. */
        FINDING
    }

    DoctorFinding {
        Objects.requireNonNull(level);
        Objects.requireNonNull(what);
        Objects.requireNonNull(todo);
    }

    static DoctorFinding ok(String what) {
        return new DoctorFinding(Level.OK, what, "");
    }

    static DoctorFinding note(String what, String todo) {
        return new DoctorFinding(Level.NOTE, what, todo);
    }

    static DoctorFinding finding(String what, String todo) {
        return new DoctorFinding(Level.FINDING, what, todo);
    }
}
