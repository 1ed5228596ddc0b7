/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

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
    private final List<Finding> findings;
    private final List<String> urls;
    private final List<DriverUse> databases;
    private final Mode mode;
    private final StringBuilder text = new StringBuilder();

    private Proposal(
            List<Path> paths,
            List<LockSite> sites,
            List<Finding> findings,
            List<String> urls,
            List<DriverUse> databases,
            Mode mode) {
        this.paths = paths;
        this.sites = sites;
        this.findings = findings;
        this.urls = urls;
        this.databases = databases;
        this.mode = mode;
    }

    static String of(
            List<Path> paths,
            List<LockSite> sites,
            List<Finding> findings,
            List<String> urls,
            List<DriverUse> databases,
            Mode mode) {
        return new Proposal(paths, sites, findings, urls, databases, mode).write();
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
        if (keys.isEmpty()) {
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
        StringBuilder accepted = new StringBuilder("locks:\n");
        Set<String> names = new HashSet<>();
        int count = 0;
        for (List<LockSite> of : keys.values()) {
            LockSite first = of.get(0);
            String name = name(first, names);
            String entry = "  - name: " + name + "\n    library: " + first.library() + "\n    key: "
                    + quoted(first.key()) + "\n";
            boolean fits = count < MOST_RULES && passes(accepted + entry);
            about(of);
            if (fits) {
                accepted.append(entry);
                text.append(entry);
                names.add(name);
                count++;
            } else {
                comment(
                        "  ",
                        "Left out, since an entry above has its names or its resources: key " + quoted(first.key()));
            }
        }
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
        String name = word;
        for (int i = 2; names.contains(name); i++) {
            name = word + "-" + i;
        }
        return name;
    }

    private void unfenced() {
        List<LockSite> others =
                sites.stream().filter(site -> site.status() != Status.FENCED).toList();
        if (others.isEmpty()) {
            return;
        }
        text.append('\n');
        comment("", "Seen, and not fenced by this version:");
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
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c >= 0x7F && c < 0xA0 || c == 0xFEFF || c == 0x2028 || c == 0x2029) {
                quoted.append(String.format("\\u%04X", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
