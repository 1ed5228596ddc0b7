/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.MethodPoints;
import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.classes.ClassOutline;
import io.lockfence.agent.cli.classes.MethodMatch;
import io.lockfence.agent.cli.classes.MethodMatcher;
import io.lockfence.agent.cli.classes.MethodPattern;
import io.lockfence.agent.cli.scan.ScanResult;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.Status;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.MethodLocks;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.consul.ConsulLibrary;
import io.lockfence.instrumentation.curator.CuratorLibrary;
import io.lockfence.instrumentation.etcd.EtcdLibrary;
import io.lockfence.instrumentation.methods.MethodPoint;
import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the rules would match in given jars: for each rule the library's classes and the methods that would be woven, what nearly matches, and why not. */
final class JarCheck {
    /** The libraries that rules can name for locks: {@link Rules#LIBRARIES}. */
    static final Map<String, Library> LOCKS = Map.of(
            "redisson", new RedissonLibrary(),
            "curator", new CuratorLibrary(),
            "etcd", new EtcdLibrary(),
            "consul", new ConsulLibrary());

    private static final int MOST_CALLS = 5;

    /** What the database targets of today's rules are woven in. */
    private static final Library DATABASE = new PostgresLibrary();

    private final ClassIndex index;
    private final ScanResult scan;
    private final MethodMatcher matcher;
    private final List<String> lines = new ArrayList<>();
    private final Set<String> told = new LinkedHashSet<>();
    private boolean failed;

    private JarCheck(ClassIndex index, ScanResult scan) {
        this.index = index;
        this.scan = scan;
        this.matcher = new MethodMatcher(index);
    }

    /**
     * @param lines for people
     * @param failed whether a rule matches nothing
     */
    record Outcome(List<String> lines, boolean failed) {}

    /**
     * Looks.
     *
     * @param paths where the index was read from
     * @throws IOException if they are no longer there
     */
    static Outcome of(Rules rules, List<Path> paths, ClassIndex index, ScanResult scan) throws IOException {
        JarCheck check = new JarCheck(index, scan);
        if (rules.mode() != Mode.OFF) {
            List<MethodPoint> points = MethodPoints.of(rules);
            List<MethodCheck.Matched> methods = new MethodCheck(paths, index).match(points);
            for (LockRule lock : rules.locks()) {
                if (lock.origin() instanceof MethodLocks) {
                    check.methods(
                            "lock " + lock.name(),
                            lock.library(),
                            "what it should fence would be refused",
                            points,
                            methods);
                } else {
                    check.rule("lock " + lock.name(), LOCKS.get(lock.library()));
                    check.calls(rules, lock);
                }
            }
            for (TargetRule target : rules.targets()) {
                if (target.destination() instanceof MethodDestination) {
                    check.methods(
                            "target " + target.name(),
                            MethodPoint.ruleOfTarget(target.name()),
                            "what is not found would not be fenced, and the rest refused",
                            points,
                            methods);
                } else {
                    check.rule("target " + target.name(), DATABASE);
                }
            }
        }
        return new Outcome(check.lines, check.failed);
    }

    /** The weaver's view: one method that cannot be woven makes the rule fence nothing. */
    private void methods(
            String label, String rule, String otherwise, List<MethodPoint> points, List<MethodCheck.Matched> matched) {
        List<String> of = new ArrayList<>();
        boolean right = true;
        for (int i = 0; i < points.size(); i++) {
            if (points.get(i).rule().equals(rule)) {
                right &= matched.get(i).wrong().isEmpty()
                        && !matched.get(i).woven().isEmpty();
                of.addAll(MethodCheck.lines(points.get(i), matched.get(i)));
            }
        }
        failed |= !right;
        lines.add(label + ": " + (of.isEmpty() ? "off" : right ? "every method is found" : otherwise));
        lines.addAll(of);
    }

    /** How a library's points match. */
    private record Points(
            int matched,
            Map<String, Integer> byCapability,
            Map<String, Set<String>> byClass,
            List<String> unmatched,
            Set<String> woven,
            ClassOutline first) {}

    private void rule(String rule, Library library) {
        Points points = points(library);
        if (points.first() == null) {
            failed = true;
            lines.add(rule + ": matches nothing: no class of " + library.name() + " that is woven is in the jars");
            return;
        }
        Library.Level level = library.level(points.woven());
        String version = points.first().origin().version();
        boolean inactive = level == Library.Level.INACTIVE;
        failed |= inactive;
        lines.add(rule + ": " + library.name() + (version.isEmpty() ? "" : " " + version) + ", "
                + (inactive ? "matches nothing that is enough: " : "") + meaning(level));
        if (told.add(library.name())) {
            lines.add("  in " + points.first().origin().path());
            lines.add("  " + points.matched() + " of " + library.points().size() + " points match: "
                    + capabilities(points));
            points.byClass().forEach((type, methods) -> lines.add("    " + type + ": " + String.join(", ", methods)));
            points.unmatched().forEach(line -> lines.add("  " + line));
        }
    }

    /** Where the service takes locks that fall under the rule, as far as their names stand in its code. */
    private void calls(Rules rules, LockRule rule) {
        List<LockSite> sites = scan.locks().stream()
                .filter(site -> site.library().equals(rule.library()) && site.status() == Status.FENCED)
                .toList();
        List<LockSite> certain = sites.stream()
                .filter(site -> !site.exampleName().isEmpty())
                .filter(site -> rules.lockRule(rule.library(), site.exampleName())
                        .filter(rule::equals)
                        .isPresent())
                .toList();
        long unknown =
                sites.stream().filter(site -> site.exampleName().isEmpty()).count();
        if (certain.isEmpty() && unknown == 0) {
            lines.add("  no call takes a lock that is named so in the code");
        }
        for (LockSite site : certain.subList(0, Math.min(certain.size(), MOST_CALLS))) {
            lines.add("  " + site.how() + " \"" + site.key() + "\" in " + site.place());
        }
        if (certain.size() > MOST_CALLS) {
            lines.add("  and " + (certain.size() - MOST_CALLS) + " calls more");
        }
        if (unknown > 0) {
            lines.add("  " + (unknown == 1 ? "1 call takes a lock" : unknown + " calls take locks")
                    + " whose name is known at run time only, and may be of this rule");
        }
    }

    private Points points(Library library) {
        int matched = 0;
        Map<String, Integer> byCapability = new LinkedHashMap<>();
        Map<String, Set<String>> byClass = new LinkedHashMap<>();
        Map<Point, String> unmatched = new LinkedHashMap<>();
        Set<String> woven = new LinkedHashSet<>();
        ClassOutline first = null;
        for (Point point : library.points()) {
            ClassOutline type = index.find(point.className()).orElse(null);
            MethodMatch match =
                    matcher.match(MethodPattern.ofDescriptor(point.className(), point.method(), point.descriptor()));
            if (first == null) {
                first = type;
            }
            if (match.found()) {
                matched++;
                byCapability.merge(point.capability(), match.methods().size(), Integer::sum);
                match.methods()
                        .forEach(found -> byClass.computeIfAbsent(
                                        found.declaring().name(), name -> new LinkedHashSet<>())
                                .add(found.method().name()));
                woven.add(point.capability());
            } else {
                unmatched.put(point, unmatched(point, type, match));
            }
        }
        List<String> lines = new ArrayList<>();
        unmatched.forEach((point, line) -> lines.add(
                line + (woven.contains(point.capability()) ? "; others of " + point.capability() + " match" : "")));
        return new Points(matched, byCapability, byClass, lines, woven, first);
    }

    private static String unmatched(Point point, ClassOutline type, MethodMatch match) {
        String what = point.className() + "#" + point.method() + " (" + point.capability() + "): ";
        if (type == null) {
            return "not there: " + what + "this version has no such class";
        }
        if (match.near().isEmpty()) {
            return "not there: " + what + "this version has no such method";
        }
        return "nearly: " + what + "expected " + point.descriptor().replace("|", " or ") + "; "
                + String.join(
                        "; ",
                        match.near().stream().map(MethodMatch.Near::toString).toList());
    }

    private static String capabilities(Points points) {
        List<String> words = new ArrayList<>();
        points.byCapability().forEach((capability, methods) -> words.add(capability + " " + methods));
        return String.join(", ", words);
    }

    private static String meaning(Library.Level level) {
        String word = level.name().toLowerCase(Locale.ROOT);
        return switch (level) {
            case FULL -> word + ": everything is seen as it happens";
            case PROBING -> word + ": renewals are not seen, the coordinator is asked when time runs short";
            case ASKING -> word + ": single attempts are not seen, the coordinator is asked after each acquire call";
            case TOKENLESS -> word + ": no token can be had, writes under such locks are refused";
            case INACTIVE -> word + ": not of a shape that this version knows, what it should fence is refused";
        };
    }
}
