/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.OwnLocks.OwnLock;
import io.lockfence.agent.cli.scan.ScanResult.DriverUse;
import io.lockfence.agent.cli.scan.ScanResult.Finding;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Writes a rules file for what was found. Whatever it writes passes {@code check}: each entry is tried with the loader, and left out with a comment if not. */
final class Proposal {
    private static final int MOST_PLACES = 5;
    /** The loader takes a thousand. */
    private static final int MOST_RULES = 500;

    private final List<Path> paths;
    private final List<LockSite> sites;
    private final List<OwnLock> ownLocks;
    private final List<Finding> findings;
    private final List<String> urls;
    private final List<DriverUse> databases;
    private final Mode mode;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder accepted = new StringBuilder("locks:\n");
    private final Set<String> names = new HashSet<>();

    private Proposal(
            List<Path> paths,
            List<LockSite> sites,
            List<OwnLock> ownLocks,
            List<Finding> findings,
            List<String> urls,
            List<DriverUse> databases,
            Mode mode) {
        this.paths = paths;
        this.sites = sites;
        this.ownLocks = ownLocks;
        this.findings = findings;
        this.urls = urls;
        this.databases = databases;
        this.mode = mode;
    }

    static String of(
            List<Path> paths,
            List<LockSite> sites,
            List<OwnLock> ownLocks,
            List<Finding> findings,
            List<String> urls,
            List<DriverUse> databases,
            Mode mode) {
        return new Proposal(paths, sites, ownLocks, findings, urls, databases, mode).write();
    }

    private String write() {
        comment(
                "",
                "Rules proposed by 'lockfence scan' for "
                        + String.join(
                                ", ",
                                paths.stream()
                                        .map(path -> String.valueOf(path.getFileName()))
                                        .toList()) + ".");
        comment(
                "",
                "Check them with: java -jar lockfence.jar check lockfence.yaml --jar "
                        + paths.stream()
                                .map(path -> String.valueOf(path.getFileName()))
                                .findFirst()
                                .orElse("service.jar"));
        text.append('\n');
        Map<String, List<LockSite>> keys = keys();
        if (keys.isEmpty() && ownLocks.isEmpty()) {
            comment("", "No lock was found that this version fences: nothing to enforce, the service is only watched.");
            text.append("mode: observe\n");
            unfenced();
            return text.toString();
        }
        comment(
                "",
                "off, observe, shadow or enforce. enforce refuses what a dead lease sends; to hear first what it would refuse, roll out with shadow.");
        text.append("mode: ").append(mode.name().toLowerCase(Locale.ROOT)).append("\n\n");
        comment(
                "",
                "The first entry whose key matches a lock's name is its rule. 'resource' is what the fencing token is scoped to: the lock's name, unless said.");
        text.append("locks:\n");
        locks(keys);
        unfenced();
        targets();
        return text.toString();
    }

    /** Narrower keys first: by the letters that they ask for. */
    private Map<String, List<LockSite>> keys() {
        Map<String, List<LockSite>> keys = new LinkedHashMap<>();
        sites.stream()
                .filter(site -> site.status() == Status.FENCED)
                .sorted(Comparator.comparingInt((LockSite site) -> -letters(site.key())))
                .forEach(site -> keys.computeIfAbsent(site.library() + " " + site.key(), key -> new ArrayList<>())
                        .add(site));
        return keys;
    }

    private static int letters(String key) {
        return key.replaceAll("\\{[a-z0-9]*}", "").replace("*", "").length();
    }

    private void locks(Map<String, List<LockSite>> keys) {
        for (List<LockSite> of : keys.values()) {
            LockSite first = of.get(0);
            String name = name(first, names);
            about(of);
            String entry = "  - name: " + name + "\n    library: " + first.library() + "\n    key: "
                    + quoted(first.key()) + "\n"
                    + (first.how().contains("campaign") ? "    scope: process\n" : "");
            if (!add(name, entry)) {
                comment(
                        "  ",
                        "Left out, since an entry above has its names or its resources: key " + quoted(first.key()));
            }
        }
        List<OwnLock> written = new ArrayList<>();
        for (OwnLock lock : ownLocks) {
            if (written.stream().anyMatch(lock::same)) {
                comment(
                        "  ",
                        "Left out: " + String.join(", ", lock.acquire()) + " takes the locks of " + lock.resource()
                                + " as an entry above does, with another lease (" + lock.lease()
                                + "). Let one of the methods call the other: two fences would not keep each other off.");
                continue;
            }
            written.add(lock);
            comment(
                    "  ",
                    "This looks like a lock of the service's own, made of SET NX: " + lock.place()
                            + ". A rule names its methods; 'arg0' is their first argument.");
            String name = unused(lock.type(), names);
            if (!add(name, entry(name, lock, lock.resource()))) {
                String resource = name + "/" + lock.resource();
                comment(
                        "  ",
                        "An entry above has resources of the same form. If both lock the same keys of one Redis they must be one entry, since two fences do not keep each other off.");
                if (!add(name, entry(name, lock, resource))) {
                    comment("  ", "Left out: " + String.join(", ", lock.acquire()));
                }
            }
        }
    }

    private static String entry(String name, OwnLock lock, String resource) {
        StringBuilder entry = new StringBuilder("  - name: ").append(name).append('\n');
        methods(entry, "acquire", lock.acquire());
        entry.append("    resource: ").append(quoted(resource)).append('\n');
        entry.append("    lease: ").append(lock.lease()).append('\n');
        methods(entry, "renew", lock.renew());
        methods(entry, "release", lock.release());
        return entry.toString();
    }

    private static void methods(StringBuilder entry, String key, List<String> methods) {
        if (methods.size() == 1) {
            entry.append("    ").append(key).append(": ").append(methods.get(0)).append('\n');
        } else if (!methods.isEmpty()) {
            entry.append("    ").append(key).append(":\n");
            methods.forEach(method -> entry.append("      - ").append(method).append('\n'));
        }
    }

    /** Tries an entry with the loader, after those before it; writes it if it fits. */
    private boolean add(String name, String entry) {
        if (names.size() >= MOST_RULES || !passes(accepted + entry)) {
            return false;
        }
        accepted.append(entry);
        text.append(entry);
        names.add(name);
        return true;
    }

    private static boolean passes(String rules) {
        try {
            RulesLoader.parse(rules, "proposal");
            return true;
        } catch (RulesException e) {
            return false;
        }
    }

    private void about(List<LockSite> of) {
        for (LockSite site : of.subList(0, Math.min(of.size(), MOST_PLACES))) {
            comment(
                    "  ",
                    site.how() + " in " + site.place()
                            + (site.within().isEmpty()
                                    ? ""
                                    : ", with " + plural(site.within().size(), "write") + " under it"));
            for (Finding finding : findings) {
                if (finding.place().equals(site.place())) {
                    comment("  ", "  note: " + finding.shape().title() + ": " + finding.what());
                }
            }
        }
        if (of.size() > MOST_PLACES) {
            comment("  ", "and in " + plural(of.size() - MOST_PLACES, "more place"));
        }
        String library = of.get(0).library();
        if (library.equals("curator") || library.equals("etcd")) {
            comment(
                    "  ",
                    "If the client has a namespace, put it in front of the key: "
                            + (library.equals("curator") ? "/namespace/..." : "namespace..."));
        }
        if (of.get(0).key().equals("*")) {
            comment("  ", "The names are known at run time only. Narrow this to the locks that guard the database.");
        }
    }

    private static String plural(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static String name(LockSite site, Set<String> names) {
        String word = site.key()
                .replaceAll("\\{[a-z0-9]*}", "-")
                .replaceAll("[^A-Za-z0-9]+", "-")
                .replaceAll("^-+|-+$", "");
        if (word.length() > 40) {
            word = word.substring(0, 40);
        }
        if (word.isEmpty() || !Character.isLetter(word.charAt(0))) {
            word = site.key().equals("*")
                    ? (names.isEmpty() ? "" : "other-") + site.library() + "-locks"
                    : site.library() + "-lock";
        }
        // Words that YAML takes for something else.
        if (Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n")
                .contains(word.toLowerCase(Locale.ROOT))) {
            word += "-lock";
        }
        return unused(word, names);
    }

    private static String unused(String word, Set<String> names) {
        String name = word;
        for (int i = 2; names.contains(name); i++) {
            name = word + "-" + i;
        }
        return name;
    }

    private void unfenced() {
        List<LockSite> others =
                sites.stream().filter(site -> !site.canBeFenced()).toList();
        if (others.isEmpty()) {
            return;
        }
        text.append('\n');
        comment("", "Seen, and not fenced by this version:");
        comment(
                "",
                "(a rule can name the methods of the service that take and give back such a lock: docs/methods.md)");
        for (LockSite site : others.subList(0, Math.min(others.size(), 50))) {
            comment(
                    "",
                    "  " + site.title() + (site.key().equals("*") ? "" : " " + quoted(site.key())) + ": " + site.how()
                            + " in " + site.place() + (site.status() == Status.MAYBE ? " (if it is a lock)" : ""));
        }
        if (others.size() > 50) {
            comment("", "  and " + (others.size() - 50) + " more");
        }
    }

    private void targets() {
        text.append('\n');
        comment("", "Where writes are fenced.");
        for (DriverUse database : databases) {
            if (!database.fenced()) {
                comment(
                        "",
                        "The driver of " + database.name()
                                + " is among the jars; this version does not fence that database.");
            }
        }
        if (!urls.isEmpty()) {
            comment("", "URLs in the service: " + String.join(", ", urls.subList(0, Math.min(urls.size(), 10))));
        }
        text.append("targets:\n  - name: database\n");
        comment("    ", "Every PostgreSQL database; narrow it with, for example, \"jdbc:postgresql://*/orders\".");
        text.append("    jdbc: \"jdbc:postgresql://**\"\n");
        comment("    ", "Writes under no lease: allow, report or reject.");
        text.append("    unleased: allow\n");
    }

    private void comment(String indent, String line) {
        StringBuilder plain = new StringBuilder();
        line.codePoints()
                .forEach(c -> plain.appendCodePoint(
                        Character.isISOControl(c) || c == 0xFEFF || c == 0x2028 || c == 0x2029 ? ' ' : c));
        text.append(indent).append("# ").append(plain).append('\n');
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0xFEFF || c == 0x2028 || c == 0x2029) {
                quoted.append(String.format("\\u%04X", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
