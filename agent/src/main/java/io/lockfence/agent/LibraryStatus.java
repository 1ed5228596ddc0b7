/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.fence.Transactions;
import io.lockfence.agent.report.Report;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How much of each library's promise is kept, as its classes are loaded. A hook counts as lost once its class was loaded without it and no
 * other class gave the same capability; what that makes inactive is refused at once, and reported when the loading has settled.
 */
final class LibraryStatus implements Weaver.Listener {
    private static final long SETTLED_MILLIS = 1_000;

    private record Seen(Library.Level level, Set<String> missing, String className, ClassLoader loader) {}

    private final Report report;
    private final Transactions transactions;
    private final Map<Library, Seen> seen = new ConcurrentHashMap<>();
    private final Map<Library, Seen> reported = new ConcurrentHashMap<>();
    private volatile long changedAt;
    private boolean reporting;

    LibraryStatus(Report report, Transactions transactions) {
        this.report = report;
        this.transactions = transactions;
    }

    @Override
    public void woven(Library library, Set<String> missing, String className, ClassLoader loader) {
        Set<String> kept = new HashSet<>();
        for (Point point : library.points()) {
            kept.add(point.capability());
        }
        kept.removeAll(missing);
        Library.Level level = library.level(kept);
        if (level == Library.Level.INACTIVE) {
            transactions.inactive(library.name(), "its hooks were not found: " + new TreeSet<>(missing));
        } else {
            transactions.active(library.name());
        }
        seen.put(library, new Seen(level, Set.copyOf(missing), className, loader));
        changedAt = System.nanoTime();
        settle();
    }

    private synchronized void settle() {
        if (!reporting) {
            reporting = true;
            Thread settling = new Thread(null, this::reportWhenSettled, "lockfence-status", 0, false);
            settling.setDaemon(true);
            settling.setContextClassLoader(null);
            settling.start();
        }
    }

    private void reportWhenSettled() {
        try {
            while (System.nanoTime() - changedAt < SETTLED_MILLIS * 1_000_000L) {
                Thread.sleep(SETTLED_MILLIS / 4);
            }
        } catch (InterruptedException e) {
            // Report what there is.
        }
        synchronized (this) {
            reporting = false;
        }
        seen.forEach((library, status) -> {
            Seen before = reported.put(library, status);
            if (before == null || before.level() != status.level()) {
                report.library(library.name(), version(status), status.level(), missing(status));
            }
        });
    }

    /** One line for each library that was seen. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        seen.forEach((library, status) ->
                lines.add(Report.libraryInWords(library.name(), version(status), status.level(), missing(status))));
        Collections.sort(lines);
        return lines;
    }

    /** Those of the libraries of which no class was loaded so far. */
    List<String> unseen(List<Library> libraries) {
        Set<String> names = new HashSet<>();
        seen.keySet().forEach(library -> names.add(library.name()));
        return libraries.stream()
                .map(Library::name)
                .filter(name -> !names.contains(name))
                .toList();
    }

    private static String missing(Seen status) {
        return status.level() == Library.Level.FULL || status.missing().isEmpty()
                ? null
                : "not found: " + String.join(", ", new TreeSet<>(status.missing()));
    }

    /** As the jar's manifest says; null if it does not. */
    private static String version(Seen status) {
        if (status.loader() == null) {
            return null;
        }
        try {
            Package declaring =
                    Class.forName(status.className(), false, status.loader()).getPackage();
            return declaring == null ? null : declaring.getImplementationVersion();
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
