/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;

/**
 * Tells Java Flight Recorder, if this runtime has it (a runtime made by jlink may not). The event classes are first touched by the
 * first lease, not in premain; while no recording runs an event costs one check.
 */
final class FlightRecorder {
    private volatile boolean absent = ModuleLayer.boot().findModule("jdk.jfr").isEmpty();

    void acquired(Lease lease, Acquisition acquisition) {
        tell(() -> RecordedEvents.acquired(lease, acquisition));
    }

    void renewed(Lease lease) {
        tell(() -> RecordedEvents.renewed(lease));
    }

    void lost(Lease lease, Lease.Death how, String why) {
        tell(() -> RecordedEvents.lost(lease, how, why));
    }

    void claim(Lease lease, String database, ClaimOutcome outcome, long nanos) {
        tell(() -> RecordedEvents.claim(lease, database, outcome, nanos));
    }

    void guard(Lease lease, String database, GuardMoment moment, GuardOutcome outcome, long nanos) {
        tell(() -> RecordedEvents.guard(lease, database, moment, outcome, nanos));
    }

    void refusal(Refused refused, String message) {
        tell(() -> RecordedEvents.refusal(refused, message));
    }

    private void tell(Runnable event) {
        if (absent) {
            return;
        }
        try {
            event.run();
        } catch (LinkageError unusable) {
            absent = true;
        }
    }
}
