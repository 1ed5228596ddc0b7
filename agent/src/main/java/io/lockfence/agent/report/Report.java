/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.instrumentation.Library;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The one object that the protocol and the weaver tell what happened. It counts first, then tells the log, Flight Recorder and JMX.
 * Thread safe; never throws; holds no lock while it writes.
 */
public final class Report {
    private static final long WINDOW_NANOS = 10_000_000_000L;
    private static final int LINES_OF_A_KIND = 10;
    private static final int LINES_OF_ALL = 100;
    private static final int MOST_UNKNOWN = 10_000;

    private final Log log;
    private final long beganAt = System.nanoTime();
    private final LongAdder acquired = new LongAdder();
    private final LongAdder renewed = new LongAdder();
    private final LongAdder shortened = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final Tally<Lease.Death> died = new Tally<>(Lease.Death.class);
    private final LongAdder overran = new LongAdder();
    private final LongAdder leftOver = new LongAdder();
    private final LongAdder releasedBeforeCommit = new LongAdder();
    private final Tally<ClaimOutcome> claims = new Tally<>(ClaimOutcome.class);
    private final LongAdder claimNanos = new LongAdder();
    private final Longest longestClaim = new Longest();
    private final Tally<GuardOutcome> guards = new Tally<>(GuardOutcome.class);
    private final Tally<GuardMoment> guardMoments = new Tally<>(GuardMoment.class);
    private final Tally<Refusal> refused = new Tally<>(Refusal.class);
    private final Tally<Refusal> wouldHaveRefused = new Tally<>(Refusal.class);
    private final LongAdder unleased = new LongAdder();
    private final LongAdder unsupported = new LongAdder();
    private final LongAdder faults = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder adopted = new LongAdder();
    private final LongAdder adoptedOpen = new LongAdder();

    private final LocksSeen locks = new LocksSeen();
    private final RepeatBound refusalLines = new RepeatBound(LINES_OF_A_KIND, LINES_OF_ALL, WINDOW_NANOS, beganAt);
    private final RepeatBound warningLines = new RepeatBound(LINES_OF_A_KIND, LINES_OF_ALL, WINDOW_NANOS, beganAt);
    private final ConcurrentMap<String, Boolean> saidOnce = new ConcurrentHashMap<>();
    private final Set<String> unknownHolds = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, String> libraries = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Set<String>> degradations = new ConcurrentHashMap<>();
    private final ConcurrentMap<Gauge, LongSupplier> gauges = new ConcurrentHashMap<>();
    private final FlightRecorder recorder = new FlightRecorder();
    private final AtomicBoolean beanWanted = new AtomicBoolean();
    private volatile String mode = "off";
    private volatile String rules = "none";
    private volatile Extreme longestOverrun;
    private volatile String firstEarlyRelease;
    private volatile String firstLeftOver;

    /** @param log where lines go */
    public Report(Log log) {
        this.log = log;
    }

    /** The log that everything of the agent's goes through. */
    public Log log() {
        return log;
    }

    /**
     * The agent is in place: says so in one line, and prints the summary when the JVM ends.
     *
     * @param inMode the global mode, as the rules spell it
     * @param source of the rules: a path, or words where there is no file
     * @param lockRules how many rules for locks there are
     * @param targets how many targets there are
     */
    public void started(String inMode, String source, int lockRules, int targets) {
        began("", inMode, source, lockRules, targets);
        try {
            Runtime.getRuntime().addShutdownHook(new Ending(this));
        } catch (Throwable ours) {
            failed(ours);
        }
    }

    /** The same for other rules, or another mode, in a JVM that goes on. */
    public void changed(String inMode, String source, int lockRules, int targets) {
        began("changed: ", inMode, source, lockRules, targets);
    }

    private void began(String how, String inMode, String source, int lockRules, int targets) {
        // In premain: no lambda and no formatter, which cost tens of milliseconds when they are the JVM's first.
        try {
            mode = inMode;
            rules = source;
            log.line(how + Version.current() + ", mode " + inMode + ", rules: " + source + " ("
                    + Words.count(lockRules, "lock rule") + ", " + Words.count(targets, "target")
                    + "); each library is reported when its classes are first loaded");
        } catch (Throwable ours) {
            failed(ours);
        }
    }

    /**
     * A library was seen, or its level has changed.
     *
     * @param name as rules spell it
     * @param version or null if unknown
     * @param level how much of its promise is kept
     * @param detail what is missing; null if nothing
     */
    public void library(String name, String version, Library.Level level, String detail) {
        quietly(() -> {
            String key = key(name, version);
            String status = status(level, detail);
            if (!status.equals(libraries.put(key, status))) {
                log.line(key + ": " + status);
            }
        });
    }

    /** The same in words, for somebody who asks. */
    public static String libraryInWords(String name, String version, Library.Level level, String detail) {
        return key(name, version) + ": " + status(level, detail);
    }

    private static String key(String name, String version) {
        return version == null ? name : name + " " + version;
    }

    private static String status(Library.Level level, String detail) {
        return levelInWords(level) + (detail == null ? "" : " (" + detail + ")");
    }

    /**
     * An integration noticed at run time that it sees less of its library than it should. Logged once for each library and reason.
     *
     * @param why in words for the service's operator
     */
    public void degraded(String library, String why) {
        quietly(() -> {
            if (degradations
                    .computeIfAbsent(library, name -> ConcurrentHashMap.newKeySet())
                    .add(why)) {
                once("degraded " + library + why, library + ": " + why);
            }
        });
    }

    /** A lock of a type that is not supported was taken: it is not fenced. Logged once for each type. */
    public void unsupportedLock(String library, String type, String lock) {
        unsupported.increment();
        quietly(() -> once(
                "unsupported " + library + type,
                "locks of type " + type + " of " + library + " are not supported and not fenced; first seen: '" + lock
                        + "'"));
    }

    /**
     * A lock that the rules name is held since before Lockfence watched it. Counted once for each owner, logged once for each name.
     *
     * @param owner who holds it, unique over locks
     */
    public void unknownHold(String lock, String owner) {
        quietly(() -> {
            if (unknownHolds.size() < MOST_UNKNOWN && unknownHolds.add(owner)) {
                once(
                        "unknown " + lock,
                        "lock '" + lock
                                + "' is held since before Lockfence watched it: what is written under this hold is not fenced, and nothing is refused; the next one is fenced");
                wantBean();
            }
        });
    }

    /**
     * A connection was met that the service had opened before Lockfence watched it.
     *
     * @param database the target's name, or a redacted URL
     * @param inTransaction whether a transaction was open on it
     */
    public void adopted(String database, boolean inTransaction) {
        adopted.increment();
        if (inTransaction) {
            adoptedOpen.increment();
        }
        quietly(() -> {
            once(
                    "adopted " + database,
                    "connections to " + database + " are older than Lockfence; each is fenced from its next use on");
            wantBean();
        });
    }

    /** Holds that are older than the watching, as far as they were noticed. */
    public long unknownHolds() {
        return unknownHolds.size();
    }

    /** Requests that came in with the leases of a caller. */
    public long receivedRequests() {
        return received.sum();
    }

    /** Requests that came in with a header that was not believed. */
    public long rejectedRequests() {
        return rejected.sum();
    }

    /** Connections that are older than the watching, and were met since. */
    public long adoptedConnections() {
        return adopted.sum();
    }

    /** How many of those were in a transaction then. */
    public long adoptedInTransaction() {
        return adoptedOpen.sum();
    }

    /** A lease began. Call it once for each, after the lease has its token and deadline. */
    public void leaseAcquired(Lease lease, Acquisition acquisition) {
        acquired.increment();
        quietly(() -> {
            locks.of(lease.lock()).taken.increment();
            recorder.acquired(lease, acquisition);
            wantBean();
        });
    }

    /** The lease's deadline moved forward. */
    public void leaseRenewed(Lease lease) {
        renewed.increment();
        quietly(() -> recorder.renewed(lease));
    }

    /** The lease's deadline moved back. */
    public void leaseShortened(Lease lease) {
        shortened.increment();
        quietly(() -> recorder.renewed(lease));
    }

    /** The lease died. Call it from {@link Lease#died}, which runs once. */
    public void leaseDied(Lease lease, Lease.Death how, String why) {
        died.add(how);
        quietly(() -> {
            recorder.lost(lease, how, why);
            if (how == Lease.Death.UNUSABLE) {
                warn(
                        "unusable",
                        "the lease of '" + lease.resource() + "' (lock '" + lease.lock() + "') is unusable: " + why);
            }
        });
    }

    /** The last unlock of the lease has begun. Call it once for each lease, at most. */
    public void leaseReleased(Lease lease) {
        released.increment();
        quietly(() -> {
            long held = lease.age();
            long overrunNanos = -lease.deadline().left();
            LocksSeen.Family family = locks.of(lease.lock());
            family.ended.increment();
            family.heldNanos.add(held);
            family.longest.see(held);
            if (overrunNanos > 0) {
                overran.increment();
                family.overran.increment();
                Extreme known = longestOverrun;
                if (known == null || overrunNanos > known.overrunNanos) {
                    longestOverrun = new Extreme(lease.lock(), held, overrunNanos);
                }
                warn(
                        family,
                        "lock '" + lease.lock() + "' was held " + Words.time(held) + " with a lease of "
                                + Words.time(held - overrunNanos) + ": another holder may have had it for the last "
                                + Words.time(overrunNanos));
            }
        });
    }

    /**
     * A lock was given back, and the answer was that it was not held.
     *
     * @param lock null if its name is not known
     */
    public void notHeld(String library, String lock) {
        quietly(() -> warn(
                "not held " + library,
                (lock == null ? "a lock" : "lock '" + lock + "'") + " of " + library
                        + " was given back and was not held: its hold had ended before, with its connection or by another unlock, or the unlock ran in another"
                        + " session than the lock; what was done under it was not protected by the lock"));
    }

    /** What a lock is bound to was given away with the lock still held. */
    public void givenAway(Lease lease, String place) {
        quietly(() -> warn(
                "given away " + LocksSeen.familyName(lease.lock()),
                "lock '" + lease.lock() + "' is orphaned: its connection was given back to " + place
                        + " while it holds the lock. Nobody else gets the lock until that connection unlocks it or is closed, and whoever gets the connection"
                        + " next enters the lock unnoticed; unlock before close(), on the same connection"));
    }

    /** A unit of work ended with these leases on its thread; they were set aside by {@code place}. */
    public void leftOver(Lease[] leases, String place) {
        leftOver.add(leases.length);
        quietly(() -> {
            for (Lease lease : leases) {
                String what = "lock '" + lease.lock() + "' was not unlocked by the end of " + place
                        + ": its lease no longer covers this thread";
                if (firstLeftOver == null) {
                    firstLeftOver = "'" + lease.lock() + "' by " + place;
                }
                warn("left over " + LocksSeen.familyName(lease.lock()) + place, what);
            }
        });
    }

    /**
     * A lock was released while a transaction under it was open.
     *
     * @param database the target's name, or a redacted URL
     */
    public void releasedBeforeCommit(Lease lease, String database) {
        releasedBeforeCommit.increment();
        quietly(() -> {
            if (firstEarlyRelease == null) {
                firstEarlyRelease = "'" + lease.lock() + "', " + database;
            }
            once(
                    "early release " + LocksSeen.familyName(lease.lock()) + database,
                    "lock '" + lease.lock() + "' was unlocked before the transaction on " + database
                            + " was committed: without a fence the next holder reads old data; unlock after the commit");
        });
    }

    /**
     * A claim ended.
     *
     * @param database the target's name, or a redacted URL
     * @param nanos how long it took, waiting included
     */
    public void claim(Lease lease, String database, ClaimOutcome outcome, long nanos) {
        claims.add(outcome);
        claimNanos.add(nanos);
        longestClaim.see(nanos);
        quietly(() -> recorder.claim(lease, database, outcome, nanos));
    }

    /**
     * A guard ended for one lease.
     *
     * @param database the target's name, or a redacted URL
     * @param nanos how long it took, waiting included
     */
    public void guard(Lease lease, String database, GuardMoment moment, GuardOutcome outcome, long nanos) {
        guards.add(outcome);
        guardMoments.add(moment);
        quietly(() -> recorder.guard(lease, database, moment, outcome, nanos));
    }

    /** An effect is about to be refused, or in shadow mode would have been. Call it before the exception is thrown. */
    public void refusal(Refused refusal) {
        (refusal.shadow() ? wouldHaveRefused : refused).add(refusal.kind());
        quietly(() -> {
            String message = refusal.message();
            recorder.refusal(refusal, message);
            OptionalLong leftOut =
                    refusalLines.ask(List.of(refusal.kind(), String.valueOf(refusal.resource())), System.nanoTime());
            if (leftOut.isPresent()) {
                log.line(message + " [thread " + refusal.thread() + "]"
                        + (leftOut.getAsLong() == 0 ? "" : " ... and " + leftOut.getAsLong() + " more like this"));
            }
            wantBean();
        });
    }

    /**
     * An effect under no lease, on a target whose rule is {@code report}; what {@code reject} refuses comes by {@link #refusal}.
     *
     * @param effect one word, such as {@code write} or {@code call}
     */
    public void unleased(String effect, String target) {
        unleased.increment();
        quietly(() -> {
            warn(
                    "unleased " + target,
                    "a " + effect + " to " + target + " under no lock [thread "
                            + Thread.currentThread().getName() + "]");
            wantBean();
        });
    }

    /**
     * An effect of work that goes on after its lease was given back, to a target whose rule reports that. Logged once for each kind of lock.
     *
     * @param effect one word, such as {@code call}
     */
    public void late(String effect, Lease lease, String target) {
        unleased.increment();
        quietly(() -> {
            once(
                    "late " + effect + target + LocksSeen.familyName(lease.lock()),
                    "a " + effect + " to " + target + " after lock '" + lease.lock()
                            + "' was given back, in the same work: another holder may have it by then [thread "
                            + Thread.currentThread().getName() + "]; said once");
            wantBean();
        });
    }

    /** A request has come in with the leases of a caller. */
    public void received(String rule) {
        received.increment();
    }

    /**
     * A request has come in whose header is not believed: malformed, from a stranger, or with a token that leaps.
     *
     * @param rule its name
     * @param kind one word
     * @param why in words for the operator
     * @param enforced whether it was answered so, or only reported
     */
    public void rejected(String rule, String kind, String why, boolean enforced) {
        rejected.increment();
        quietly(() -> {
            warn(
                    "rejected " + rule + kind,
                    (enforced ? "rejected" : "would have rejected") + " a request under " + rule + ", " + kind + ": "
                            + Words.clean(why, 300));
            wantBean();
        });
    }

    /** A fault of Lockfence itself. Counted; logged once for each kind and place. */
    public void fault(Throwable fault) {
        faults.increment();
        quietly(() -> {
            StackTraceElement[] stack = fault.getStackTrace();
            StringBuilder line = new StringBuilder("a fault of Lockfence itself, please report it: ").append(fault);
            for (int i = 0; i < Math.min(8, stack.length); i++) {
                line.append(i == 0 ? " at " : " < ").append(stack[i]);
            }
            for (Throwable cause = fault.getCause(); cause != null; cause = cause.getCause()) {
                line.append("; caused by ").append(cause);
                if (cause.getStackTrace().length > 0) {
                    line.append(" at ").append(cause.getStackTrace()[0]);
                }
            }
            once("fault " + fault.getClass().getName() + (stack.length == 0 ? "" : stack[0]), line.toString());
            wantBean();
        });
    }

    /** Lends a gauge; it is asked when somebody looks, on any thread, and must not block. */
    public void gauge(Gauge gauge, LongSupplier supplier) {
        gauges.put(gauge, supplier);
    }

    /** What a gauge shows now; 0 where nobody has lent it. */
    public long gauge(Gauge gauge) {
        LongSupplier supplier = gauges.get(gauge);
        return supplier == null ? 0 : supplier.getAsLong();
    }

    /** All counters. */
    public Counters counters() {
        return new Counters(
                acquired.sum(),
                renewed.sum(),
                shortened.sum(),
                released.sum(),
                died.counted(),
                overran.sum(),
                leftOver.sum(),
                releasedBeforeCommit.sum(),
                claims.counted(),
                guards.counted(),
                refused.counted(),
                wouldHaveRefused.counted(),
                unleased.sum(),
                unsupported.sum(),
                faults.sum());
    }

    /** The libraries seen, with their levels in words, and what was noticed about them since. */
    public Map<String, String> libraries() {
        Map<String, String> seen = new TreeMap<>(libraries);
        degradations.forEach((library, reasons) ->
                seen.merge(library, String.join("; ", new TreeSet<>(reasons)), (level, why) -> level + "; " + why));
        return seen;
    }

    /** The global mode. */
    public String mode() {
        return mode;
    }

    /** Where the rules came from. */
    public String rules() {
        return rules;
    }

    /** The summary of what was seen so far: at most 25 lines. */
    public List<String> summary() {
        return new Summary(this).lines();
    }

    LocksSeen locks() {
        return locks;
    }

    long ageNanos() {
        return System.nanoTime() - beganAt;
    }

    long guards(GuardMoment moment) {
        return guardMoments.counted(moment);
    }

    long averageClaimNanos() {
        return claimNanos.sum() / Math.max(1, Counters.sum(claims.counted()));
    }

    long longestClaimNanos() {
        return longestClaim.nanos();
    }

    Extreme longestOverrun() {
        return longestOverrun;
    }

    String firstEarlyRelease() {
        return firstEarlyRelease;
    }

    String firstLeftOver() {
        return firstLeftOver;
    }

    private void ended() {
        quietly(() -> log.lines(summary()));
    }

    /** The bean comes with the first thing worth looking at, when the service's main is well under way: see {@link BeanRegistration}. */
    private void wantBean() {
        if (!beanWanted.get() && beanWanted.compareAndSet(false, true)) {
            BeanRegistration.begin(this);
        }
    }

    private void warn(Object key, String text) {
        OptionalLong leftOut = warningLines.ask(key, System.nanoTime());
        if (leftOut.isPresent()) {
            log.line(text + (leftOut.getAsLong() == 0 ? "" : " ... and " + leftOut.getAsLong() + " more like this"));
        }
    }

    private void once(String key, String text) {
        if (saidOnce.size() < 1000 && saidOnce.putIfAbsent(key, true) == null) {
            log.line(text);
        }
    }

    private void quietly(Runnable telling) {
        try {
            telling.run();
        } catch (Throwable ours) {
            failed(ours);
        }
    }

    private void failed(Throwable ours) {
        faults.increment();
        try {
            once("report " + ours.getClass(), "a fault of Lockfence's report: " + ours);
        } catch (Throwable hopeless) {
            // Out of memory or stack; the counter tells.
        }
    }

    static String levelInWords(Library.Level level) {
        return switch (level) {
            case FULL -> "active, full";
            case PROBING -> "active; renewals are not seen, so the coordinator is asked when time runs short";
            case ASKING -> "active; single attempts are not seen, so the coordinator is asked after each acquire call";
            case TOKENLESS -> "no fencing tokens can be had: writes under its locks cannot be fenced";
            case INACTIVE ->
                "INACTIVE, its classes are not of a shape that we know: writes under its locks cannot be fenced";
        };
    }

    /** Prints the summary when the JVM ends. */
    private static final class Ending extends Thread {
        private final Report report;

        Ending(Report report) {
            super(null, null, "lockfence-summary", 0, false);
            this.report = report;
            setContextClassLoader(null);
        }

        @Override
        public void run() {
            report.ended();
        }
    }

    /** The lease that was overrun most. */
    record Extreme(String lock, long heldNanos, long overrunNanos) {}

    /** One adder for each constant. */
    private static final class Tally<E extends Enum<E>> {
        private final EnumMap<E, LongAdder> adders;
        private final Class<E> type;

        Tally(Class<E> type) {
            this.type = type;
            adders = new EnumMap<>(type);
            for (E constant : type.getEnumConstants()) {
                adders.put(constant, new LongAdder());
            }
        }

        void add(E constant) {
            adders.get(constant).increment();
        }

        long counted(E constant) {
            return adders.get(constant).sum();
        }

        /** Constants that were counted at least once. */
        Map<E, Long> counted() {
            EnumMap<E, Long> counted = new EnumMap<>(type);
            adders.forEach((constant, adder) -> {
                long sum = adder.sum();
                if (sum > 0) {
                    counted.put(constant, sum);
                }
            });
            return counted;
        }
    }
}
