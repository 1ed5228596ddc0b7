/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** What happened, for someone who meets Lockfence for the first time: at most 25 lines of at most 120 characters. */
final class Summary {
    private static final int MOST_LOCKS = 8;

    private final Report report;
    private final Counters counters;
    private final List<String> lines = new ArrayList<>();

    Summary(Report report) {
        this.report = report;
        this.counters = report.counters();
    }

    List<String> lines() {
        lines.add("summary of " + Words.time(report.ageNanos()) + ", mode " + report.mode() + ", rules: "
                + report.rules());
        if (counters.acquired() == 0) {
            row("locks", "none was taken that the rules name");
        } else {
            leases();
            fences();
        }
        refusals();
        faults();
        table();
        return lines;
    }

    private void leases() {
        StringJoiner dead = new StringJoiner(", ");
        for (Map.Entry<Lease.Death, Long> death : counters.died().entrySet()) {
            dead.add(number(death.getValue()) + " " + death.getKey().name().toLowerCase(Locale.ROOT));
        }
        row(
                "leases",
                number(counters.acquired()) + " begun, " + number(counters.released()) + " unlocked, "
                        + Words.count(counters.renewed(), "renewal")
                        + (dead.length() == 0 ? "" : "; died before the unlock: " + dead));
        if (counters.overran() > 0) {
            Report.Extreme worst = report.longestOverrun();
            row(
                    "too long",
                    number(counters.overran()) + " held past the end of the lease; the worst, '"
                            + Words.clean(worst.lock(), 40) + "', " + Words.time(worst.heldNanos())
                            + " with a lease of "
                            + Words.time(worst.heldNanos() - worst.overrunNanos()));
        }
        if (counters.releasedBeforeCommit() > 0) {
            row(
                    "too early",
                    number(counters.releasedBeforeCommit()) + " unlocked before the commit; the first: "
                            + Words.clean(report.firstEarlyRelease(), 60));
        }
        if (counters.leftOver() > 0) {
            row(
                    "left over",
                    number(counters.leftOver()) + " not unlocked by the end of a task or request; the first: "
                            + Words.clean(report.firstLeftOver(), 60));
        }
    }

    private void fences() {
        if (!counters.claims().isEmpty()) {
            row(
                    "claims",
                    number(Counters.sum(counters.claims())) + ", " + Words.time(report.averageClaimNanos())
                            + " on average, " + Words.time(report.longestClaimNanos()) + " at most"
                            + troubles(counters.claims(), ClaimOutcome.REFUSED, ClaimOutcome.FAILED));
        }
        if (!counters.guards().isEmpty()) {
            row(
                    "guards",
                    number(report.guards(GuardMoment.COMMIT)) + " at commit, "
                            + number(report.guards(GuardMoment.RELEASE)) + " before an unlock, "
                            + number(report.guards(GuardMoment.IN_TRANSACTION)) + " within a transaction"
                            + troubles(counters.guards(), GuardOutcome.REFUSED, GuardOutcome.FAILED));
        }
    }

    private void refusals() {
        if (!counters.refused().isEmpty()) {
            row("refused", kinds(counters.refused()));
        }
        if (!counters.wouldHaveRefused().isEmpty()) {
            row("would refuse", kinds(counters.wouldHaveRefused()));
        }
        if (counters.refused().isEmpty()
                && counters.wouldHaveRefused().isEmpty()
                && !counters.guards().isEmpty()) {
            row("refused", "nothing");
        }
        if (report.receivedRequests() > 0 || report.rejectedRequests() > 0) {
            row(
                    "requests",
                    Words.count(report.receivedRequests(), "request") + " came with leases of callers, "
                            + report.rejectedRequests() + " with a header that was not believed");
        }
        if (counters.unleased() > 0) {
            row("no lock", Words.count(counters.unleased(), "write") + " to protected targets under no lock");
        }
    }

    private void faults() {
        if (report.unknownHolds() > 0) {
            row(
                    "unknown",
                    Words.count(report.unknownHolds(), "lock") + " held since before Lockfence watched, not fenced");
        }
        if (counters.unsupportedLocks() > 0) {
            row("unsupported", Words.count(counters.unsupportedLocks(), "lock") + " of types that are not fenced");
        }
        if (counters.faults() > 0) {
            row("faults", number(counters.faults()) + " of Lockfence itself, please report them");
        }
    }

    private void table() {
        List<LocksSeen.Family> busiest = report.locks().busiest(MOST_LOCKS);
        if (busiest.isEmpty()) {
            return;
        }
        int width = 4;
        for (LocksSeen.Family family : busiest) {
            width = Math.max(width, family.name.length());
        }
        String format = "  %-" + width + "s %9s %11s %11s %9s";
        lines.add(String.format(Locale.ROOT, format, "lock", "taken", "held, mean", "longest", "too long"));
        for (LocksSeen.Family family : busiest) {
            long ended = family.ended.sum();
            lines.add(String.format(
                    Locale.ROOT,
                    format,
                    family.name,
                    number(family.taken.sum()),
                    ended == 0 ? "-" : Words.time(family.heldNanos.sum() / ended),
                    ended == 0 ? "-" : Words.time(family.longest.nanos()),
                    number(family.overran.sum())));
        }
        int more = report.locks().size() - busiest.size();
        if (more > 0) {
            lines.add("  and " + Words.count(more, "more kind") + " of lock");
        }
    }

    private void row(String name, String text) {
        lines.add(String.format(Locale.ROOT, "  %-12s %s", name, text));
    }

    private static String kinds(Map<Refusal, Long> counted) {
        StringJoiner kinds = new StringJoiner(", ");
        counted.forEach((kind, number) ->
                kinds.add(number(number) + " " + RefusalMessage.name(kind) + " (" + kind.sqlState() + ")"));
        return kinds.toString();
    }

    private static <E extends Enum<E>> String troubles(Map<E, Long> counted, E refused, E failed) {
        StringBuilder text = new StringBuilder();
        if (counted.containsKey(refused)) {
            text.append("; ").append(number(counted.get(refused))).append(" refused");
        }
        if (counted.containsKey(failed)) {
            text.append("; ").append(number(counted.get(failed))).append(" failed");
        }
        return text.toString();
    }

    private static String number(long number) {
        return Words.number(number);
    }
}
