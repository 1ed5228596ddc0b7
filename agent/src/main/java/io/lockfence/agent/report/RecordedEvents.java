/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events of Java Flight Recorder, and how they are filled. */
final class RecordedEvents {
    private RecordedEvents() {}

    static void acquired(Lease lease, Acquisition acquisition) {
        LeaseAcquired event = new LeaseAcquired();
        if (event.shouldCommit()) {
            event.under(lease);
            event.library = acquisition.library();
            event.explicitLeaseTime = acquisition.explicitLease();
            event.timeLeft = lease.deadline().left();
            event.commit();
        }
    }

    static void renewed(Lease lease) {
        LeaseRenewed event = new LeaseRenewed();
        if (event.shouldCommit()) {
            event.under(lease);
            event.timeLeft = lease.deadline().left();
            event.commit();
        }
    }

    static void lost(Lease lease, Lease.Death how, String why) {
        LeaseLost event = new LeaseLost();
        if (event.shouldCommit()) {
            event.under(lease);
            event.how = how.name();
            event.why = why;
            event.commit();
        }
    }

    static void claim(Lease lease, String database, ClaimOutcome outcome, long nanos) {
        Claim event = new Claim();
        if (event.shouldCommit()) {
            event.under(lease);
            event.database = database;
            event.outcome = outcome.name();
            event.elapsed = nanos;
            event.commit();
        }
    }

    static void guard(Lease lease, String database, GuardMoment moment, GuardOutcome outcome, long nanos) {
        Guard event = new Guard();
        if (event.shouldCommit()) {
            event.under(lease);
            event.database = database;
            event.moment = moment.name();
            event.outcome = outcome.name();
            event.elapsed = nanos;
            event.commit();
        }
    }

    static void refusal(Refused refused, String message) {
        Refusal event = new Refusal();
        if (event.shouldCommit()) {
            event.lock = refused.lock();
            event.resource = refused.resource();
            event.token = refused.token();
            event.leaseId = refused.lease() == null ? null : refused.lease().leaseId();
            event.age = refused.ageNanos();
            event.target = refused.target();
            event.kind = refused.kind().name();
            event.reason = refused.reason().name();
            event.shadow = refused.shadow();
            event.message = message;
            event.commit();
        }
    }

    /** What every event on a lease says. */
    @Category("Lockfence")
    @StackTrace(false)
    abstract static class OfLease extends Event {
        @Label("Lock")
        String lock;

        @Label("Resource")
        String resource;

        @Label("Fencing Token")
        long token;

        @Label("Lease Id")
        String leaseId;

        @Label("Age of the Lease")
        @Timespan(Timespan.NANOSECONDS)
        long age;

        final void under(Lease lease) {
            lock = lease.lock();
            resource = lease.resource();
            token = lease.token();
            leaseId = lease.leaseId();
            age = lease.age();
        }
    }

    @Name("io.lockfence.LeaseAcquired")
    @Label("Lease Acquired")
    static final class LeaseAcquired extends OfLease {
        @Label("Library")
        String library;

        @Label("Explicit Lease Time")
        boolean explicitLeaseTime;

        @Label("Time Left")
        @Timespan(Timespan.NANOSECONDS)
        long timeLeft;
    }

    @Name("io.lockfence.LeaseRenewed")
    @Label("Lease Renewed")
    @Description("The deadline of a lease moved, forward or back")
    static final class LeaseRenewed extends OfLease {
        @Label("Time Left")
        @Timespan(Timespan.NANOSECONDS)
        long timeLeft;
    }

    @Name("io.lockfence.LeaseLost")
    @Label("Lease Lost")
    @Description("A lease died before its unlock")
    static final class LeaseLost extends OfLease {
        @Label("How")
        String how;

        @Label("Why")
        String why;
    }

    @Name("io.lockfence.Claim")
    @Label("Claim")
    @Description("A fence was advanced to a lease, or refused it")
    static final class Claim extends OfLease {
        @Label("Database")
        String database;

        @Label("Outcome")
        String outcome;

        @Label("Elapsed")
        @Timespan(Timespan.NANOSECONDS)
        long elapsed;
    }

    @Name("io.lockfence.Guard")
    @Label("Guard")
    @Description("A transaction checked that the fence still holds its lease")
    static final class Guard extends OfLease {
        @Label("Database")
        String database;

        @Label("Moment")
        String moment;

        @Label("Outcome")
        String outcome;

        @Label("Elapsed")
        @Timespan(Timespan.NANOSECONDS)
        long elapsed;
    }

    @Name("io.lockfence.Refusal")
    @Label("Refusal")
    @Description("An effect was refused, or in shadow mode would have been")
    @StackTrace(true)
    static final class Refusal extends OfLease {
        @Label("Target")
        String target;

        @Label("Kind")
        String kind;

        @Label("Reason")
        String reason;

        @Label("Only Reported")
        boolean shadow;

        @Label("Message")
        String message;
    }
}
