/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.ScanResult.DriverUse;
import io.lockfence.agent.cli.scan.ScanResult.Finding;
import io.lockfence.agent.cli.scan.ScanResult.LibraryUse;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.cli.scan.ScanResult.WriteSite;
import io.lockfence.agent.cli.scan.ScanResult.WriteUse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A scan's result for the terminal: findings first, then what they are based on, then the rules. */
public final class Report {
    /** Of a lock whose key is {@code *}. */
    static final String UNNAMED = "name known at run time only";

    private static final int MOST_WRITES = 10;

    private final ScanResult result;
    private final List<String> lines = new ArrayList<>();
    private final Map<List<WriteUse>, Integer> told = new HashMap<>();

    private Report(ScanResult result) {
        this.result = result;
    }

    /** Lines without line ends. */
    public static List<String> of(ScanResult result) {
        Report report = new Report(result);
        report.write();
        return report.lines;
    }

    private void write() {
        lines.add("read " + String.join(", ", result.paths()) + ": " + result.classes() + " classes, of which "
                + result.ownClasses() + " with " + result.ownMethods() + " methods are the service's own");
        result.notices().forEach(notice -> lines.add("  note: " + notice));
        libraries();
        findings();
        locks();
        writesOutside();
        lines.add("");
        lines.add("proposed rules (--rules FILE writes them):");
        lines.add("");
        result.rules().lines().forEach(line -> lines.add(line.isEmpty() ? "" : "  " + line));
    }

    private void libraries() {
        lines.add("");
        lines.add("lock libraries");
        if (result.libraries().isEmpty()) {
            lines.add("  none that is known");
        }
        for (LibraryUse use : result.libraries()) {
            lines.add("  " + use.title() + (use.version().isEmpty() ? "" : " " + use.version()) + ": "
                    + (use.sites() == 1 ? "1 call takes a lock" : use.sites() + " calls take a lock") + "; "
                    + library(result, use)
                    + (use.present() ? "" : "; its jar was not read"));
        }
        for (DriverUse driver : result.databases()) {
            lines.add("  database driver " + driver.name() + (driver.version().isEmpty() ? "" : " " + driver.version())
                    + ": " + library(driver.fenced()));
        }
    }

    private void findings() {
        lines.add("");
        lines.add(
                result.findings().isEmpty()
                        ? "findings: none"
                        : "findings: " + result.findings().size());
        Shape before = null;
        for (Finding finding : result.findings()) {
            if (finding.shape() != before) {
                lines.add("  " + finding.shape().title() + ": " + finding.why());
                before = finding.shape();
            }
            lines.add("    " + finding.place());
            lines.add("      " + finding.what());
        }
    }

    private void locks() {
        lines.add("");
        lines.add("locks: " + result.locks().size());
        for (LockSite site : result.locks()) {
            lines.add("  " + site.id() + ". " + site.title() + " " + site.how()
                    + (site.key().equals("*") ? ", " + UNNAMED : " \"" + site.key() + "\"")
                    + (site.leaseMillis() > 0 ? ", lease " + Times.text(site.leaseMillis()) : "") + ": "
                    + status(site.status()));
            lines.add("     " + site.place() + (site.releasedElsewhere() ? "; not given back in this method" : ""));
            writes(site);
        }
    }

    private void writes(LockSite site) {
        Integer same = site.within().isEmpty() ? null : told.putIfAbsent(site.within(), site.id());
        if (same != null) {
            lines.add("     writes what is written under " + same);
            return;
        }
        for (WriteUse use : site.within().subList(0, Math.min(site.within().size(), MOST_WRITES))) {
            lines.add("     writes " + write(use.write()) + (use.task() ? ", maybe on another thread" : ""));
            if (use.path().size() > 1) {
                lines.add("       by " + String.join(" > ", use.path()));
            }
        }
        if (site.within().size() > MOST_WRITES) {
            lines.add("     and " + (site.within().size() - MOST_WRITES) + " more writes");
        }
    }

    static String library(ScanResult result, LibraryUse use) {
        boolean byMethods = result.locks().stream()
                .anyMatch(site -> site.library().equals(use.name()) && site.status() == Status.BY_METHODS);
        return byMethods ? status(Status.BY_METHODS) : library(use.fenced());
    }

    /** Whether this version can fence a library or a database. */
    static String library(boolean fenced) {
        return fenced ? "can be fenced" : "not fenced by this version";
    }

    static String status(Status status) {
        return switch (status) {
            case FENCED -> "can be fenced";
            case BY_METHODS -> "can be fenced by rules that name the service's methods";
            case KIND_NOT_FENCED -> "this kind of lock is not fenced";
            case NOT_YET -> "not fenced by this version";
            case MAYBE -> "may be a lock or something else, such as a cache";
        };
    }

    static String write(WriteSite write) {
        return write.kind().word() + ": " + write.title() + " " + write.call()
                + (write.detail().isEmpty() ? "" : " (" + write.detail() + ")") + " at " + write.place();
    }

    /** Writes that no lock that was found covers. */
    static List<WriteSite> outside(ScanResult result) {
        return result.writes().stream()
                .filter(write -> result.locks().stream()
                        .flatMap(site -> site.within().stream())
                        .noneMatch(use -> use.write().equals(write)))
                .toList();
    }

    private void writesOutside() {
        List<WriteSite> outside = outside(result);
        lines.add("");
        lines.add("writes under no lock that was found: " + outside.size() + " of "
                + result.writes().size());
        for (WriteSite write : outside.subList(0, Math.min(outside.size(), 2 * MOST_WRITES))) {
            lines.add("  " + write(write));
        }
        if (outside.size() > 2 * MOST_WRITES) {
            lines.add("  and " + (outside.size() - 2 * MOST_WRITES) + " more (--format json has all)");
        }
    }
}
