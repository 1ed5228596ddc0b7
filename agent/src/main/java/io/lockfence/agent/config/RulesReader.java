/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.ResourceTemplate.UnknownCapture;
import io.lockfence.agent.config.YamlNode.Table;
import io.lockfence.agent.config.YamlNode.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Turns the tree of a file into rules, or into everything that is wrong with it. */
final class RulesReader {
    static final String UNSUPPORTED = " is not supported by this version (0.1)";
    static final String SUPPORTED = "this version fences locks of redisson on PostgreSQL databases: remove it";

    private static final List<String> KEYS = List.of("mode", "strict", "claimTimeout", "guardIdle", "locks", "targets");
    private static final List<String> LATER_KEYS = List.of("receive", "propagate");
    private static final List<String> LOCK_KEYS = List.of(
            "name", "mode", "library", "key", "resource", "generation", "protects", "claim", "guardAtRelease", "ends");
    private static final List<String> LATER_LOCK_KEYS =
            List.of("acquire", "when", "lease", "token", "renew", "release", "scope");
    private static final List<String> LATER_LIBRARIES =
            List.of("curator", "etcd", "consul", "hazelcast", "shedlock", "spring-integration");
    private static final List<String> TARGET_KEYS = List.of("name", "jdbc", "unleased", "expired");
    private static final List<String> LATER_TARGET_KEYS = List.of("http", "methods", "method", "afterRelease");
    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String JDBC_EXAMPLE = "expected a pattern such as \"jdbc:postgresql://*/orders\"";
    private static final int MOST_LOCKS = 1000;
    private static final int MOST_TARGETS = 100;
    private static final int LONGEST_JDBC = 500;

    private final Problems problems;
    private boolean strict;

    RulesReader(Problems problems) {
        this.problems = problems;
    }

    /** An entry of a list, and where the parts stand that entries are compared by. */
    private record Placed<T>(T rule, YamlNode name, YamlNode pattern, YamlNode resource) {}

    /** Whether the file says {@code strict: true}, whatever else is wrong with it. */
    boolean strict() {
        return strict;
    }

    /** The rules; null if there are problems. */
    Rules read(YamlNode root, String source) {
        if (!(root instanceof Table table)) {
            problems.add(
                    root,
                    "the file must be a table of keys, not " + Section.kind(root),
                    "expected 'mode: observe', for example");
            return null;
        }
        Section file = new Section(table, "", KEYS, LATER_KEYS, problems);
        strict = file.flag("strict", false);
        Mode mode = file.word("mode", Mode.class, Mode.OBSERVE);
        Duration claimTimeout =
                file.duration("claimTimeout", Duration.ofMillis(100), Duration.ofMinutes(10), Rules.CLAIM_TIMEOUT);
        Duration guardIdle = file.duration("guardIdle", Duration.ofSeconds(1), Duration.ofHours(24), Rules.GUARD_IDLE);
        List<TargetRule> targets = targets(file);
        List<LockRule> locks =
                locks(file, mode, targets.stream().map(TargetRule::name).toList());
        return problems.none() ? new Rules(mode, strict, claimTimeout, guardIdle, locks, targets, source) : null;
    }

    private List<TargetRule> targets(Section file) {
        List<Placed<TargetRule>> targets = new ArrayList<>();
        List<YamlNode> items = file.items(
                "targets",
                MOST_TARGETS,
                "expected entries such as '- name: orders-db'",
                "leave it out to protect every JDBC database");
        if (items == null) {
            return List.of(TargetRule.everyDatabase());
        }
        for (YamlNode item : items) {
            Section section = entry(item, "target", targets.size() + 1, TARGET_KEYS, LATER_TARGET_KEYS);
            if (section != null) {
                target(section, targets);
            }
        }
        return targets.stream().map(Placed::rule).toList();
    }

    private Section entry(YamlNode item, String kind, int number, List<String> keys, List<String> later) {
        if (problems.full()) {
            return null;
        }
        if (!(item instanceof Table table)) {
            problems.add(
                    item, "a " + kind + " must be a table of keys, not " + Section.kind(item), Section.oneOf(keys));
            return null;
        }
        String name = table.entries().stream()
                .filter(e -> e.key() instanceof Text key && key.value().equals("name") && e.value() instanceof Text)
                .map(e -> "'" + Problem.shown(((Text) e.value()).value()) + "'")
                .findFirst()
                .orElse("number " + number);
        return new Section(table, kind + " " + name, keys, later, problems);
    }

    private void target(Section section, List<Placed<TargetRule>> targets) {
        String name = section.name("name");
        JdbcPattern jdbc = jdbc(section);
        Unleased unleased = section.word("unleased", Unleased.class, Unleased.ALLOW);
        Expired expired = section.word("expired", Expired.class, Expired.REFUSE);
        YamlNode nameAt = section.at("name");
        YamlNode jdbcAt = section.at("jdbc");
        TargetRule rule = new TargetRule(
                name == null ? "" : name, jdbc == null ? JdbcPattern.parse("jdbc:") : jdbc, unleased, expired);
        for (Placed<TargetRule> earlier : targets) {
            if (name != null && earlier.rule().name().equals(name)) {
                twice("target", name, nameAt, earlier.name());
            }
            if (jdbc != null
                    && earlier.pattern() != null
                    && earlier.rule().jdbc().covers(jdbc)) {
                problems.add(
                        jdbcAt,
                        "target " + quoted(rule.name())
                                + " is never used: every URL that it matches is already matched by target "
                                + quoted(earlier.rule().name()) + " (line "
                                + earlier.pattern().line() + ")",
                        "put the narrower pattern first, or remove one");
            }
        }
        targets.add(new Placed<>(rule, nameAt, jdbc == null ? null : jdbcAt, null));
    }

    private JdbcPattern jdbc(Section section) {
        String text = section.required("jdbc", JDBC_EXAMPLE);
        if (text == null) {
            return null;
        }
        YamlNode at = section.at("jdbc");
        if (text.length() > LONGEST_JDBC) {
            problems.add(at, "'jdbc' has more than " + LONGEST_JDBC + " characters", "use '*' or '**'");
            return null;
        }
        try {
            JdbcPattern pattern = JdbcPattern.parse(text);
            if (!pattern.reaches(POSTGRESQL)) {
                problems.add(at, "the database " + quoted(JdbcUrl.shown(text)) + UNSUPPORTED, SUPPORTED);
                return null;
            }
            return pattern;
        } catch (IllegalArgumentException e) {
            problems.add(
                    at,
                    "the JDBC pattern " + quoted(JdbcUrl.shown(text)) + " is wrong: " + e.getMessage(),
                    JDBC_EXAMPLE);
            return null;
        }
    }

    private List<LockRule> locks(Section file, Mode mode, List<String> targets) {
        List<Placed<LockRule>> locks = new ArrayList<>();
        List<YamlNode> items = file.items(
                "locks",
                MOST_LOCKS,
                "expected entries such as '- name: orders'",
                "leave it out for every lock of " + String.join(", ", Rules.LIBRARIES));
        if (items == null) {
            return Rules.everyLock(mode);
        }
        for (YamlNode item : items) {
            Section section = entry(item, "lock", locks.size() + 1, LOCK_KEYS, LATER_LOCK_KEYS);
            if (section != null) {
                lock(section, mode, targets, locks);
            }
        }
        return locks.stream().map(Placed::rule).toList();
    }

    private void lock(Section section, Mode mode, List<String> targets, List<Placed<LockRule>> locks) {
        String name = section.name("name");
        Mode own = section.word("mode", Mode.class, mode);
        String library = library(section);
        KeyPattern key = key(section);
        ResourceTemplate resource = resource(section, key);
        int generation = section.count("generation", 0);
        Set<String> protects = protects(section, targets);
        ClaimAt claim = section.word("claim", ClaimAt.class, ClaimAt.FIRST_ACCESS);
        if (claim == ClaimAt.ACQUIRE && section.has("mode") && (own == Mode.OBSERVE || own == Mode.OFF)) {
            problems.add(
                    section.at("claim"),
                    "'claim: acquire' in lock " + quoted(name) + " contradicts its 'mode: " + Words.of(own)
                            + "', in which nothing is claimed",
                    "expected mode shadow or enforce, or no 'claim'");
        }
        boolean guardAtRelease = section.flag("guardAtRelease", true);
        Ends ends = section.word("ends", Ends.class, Ends.DEADLINE);
        KeyPattern pattern = key == null ? KeyPattern.parse("*") : key;
        LockRule rule = new LockRule(
                name == null ? "" : name,
                mode == Mode.OFF ? Mode.OFF : own,
                library == null ? "" : library,
                pattern,
                resource == null ? ResourceTemplate.lockName(pattern) : resource,
                generation,
                protects,
                claim,
                guardAtRelease,
                ends);
        Placed<LockRule> placed = new Placed<>(
                rule,
                section.at("name"),
                key == null ? null : section.at("key"),
                resource == null ? null : section.at(section.has("resource") ? "resource" : "key"));
        for (Placed<LockRule> earlier : locks) {
            if (name != null && earlier.rule().name().equals(name)) {
                twice("lock", name, placed.name(), earlier.name());
            }
            compare(placed, earlier);
        }
        locks.add(placed);
    }

    private void compare(Placed<LockRule> later, Placed<LockRule> earlier) {
        if (later.pattern() == null || earlier.pattern() == null) {
            return;
        }
        if (earlier.rule().library().equals(later.rule().library())
                && earlier.rule().key().covers(later.rule().key())) {
            problems.add(
                    later.pattern(),
                    "lock " + quoted(later.rule().name())
                            + " is never used: every name that its key matches is already matched by lock "
                            + quoted(earlier.rule().name()) + " (line "
                            + earlier.pattern().line() + ")",
                    "put the narrower key first, or remove one");
        } else if (later.resource() != null
                && earlier.resource() != null
                && earlier.rule()
                        .resource()
                        .shape()
                        .equals(later.rule().resource().shape())) {
            problems.add(
                    later.resource(),
                    "lock " + quoted(later.rule().name()) + " has the same resources as lock "
                            + quoted(earlier.rule().name()) + " (line "
                            + earlier.resource().line()
                            + "), whose tokens cannot be compared with its own",
                    "expected a resource of its own for each lock");
        }
    }

    private void twice(String kind, String name, YamlNode at, YamlNode earlier) {
        problems.add(
                at,
                kind + " " + quoted(name) + " stands twice, first at line " + earlier.line(),
                "expected another name");
    }

    private String library(Section section) {
        String library = section.required("library", Section.oneOf(Rules.LIBRARIES));
        if (library == null || Rules.LIBRARIES.contains(library)) {
            return library;
        }
        if (LATER_LIBRARIES.contains(library)) {
            problems.add(
                    section.at("library"), "library '" + library + "'" + UNSUPPORTED, Section.oneOf(Rules.LIBRARIES));
        } else {
            problems.add(
                    section.at("library"),
                    "unknown library " + quoted(library),
                    Section.oneOf(Rules.LIBRARIES),
                    Nearest.to(library, Rules.LIBRARIES));
        }
        return null;
    }

    private KeyPattern key(Section section) {
        String example = "expected a pattern of lock names such as \"order:{id}\"";
        String text = section.required("key", example);
        if (text == null) {
            return null;
        }
        try {
            return KeyPattern.parse(text);
        } catch (IllegalArgumentException e) {
            problems.add(section.at("key"), "the key " + quoted(text) + " is wrong: " + e.getMessage(), example);
            return null;
        }
    }

    private ResourceTemplate resource(Section section, KeyPattern key) {
        String example = "expected a name such as \"orders/{id}\"";
        String text = section.text("resource", example);
        if (key == null || section.has("resource") && text == null) {
            return null;
        }
        if (text == null) {
            return ResourceTemplate.lockName(key);
        }
        try {
            return ResourceTemplate.parse(text, key);
        } catch (UnknownCapture e) {
            problems.add(
                    section.at("resource"),
                    "the resource " + quoted(text) + " is wrong: " + e.getMessage(),
                    key.captures().isEmpty() ? "expected a capture in the key" : Section.oneOf(key.captures()),
                    Nearest.to(e.capture(), key.captures()));
        } catch (IllegalArgumentException e) {
            problems.add(
                    section.at("resource"), "the resource " + quoted(text) + " is wrong: " + e.getMessage(), example);
        }
        return null;
    }

    private Set<String> protects(Section section, List<String> targets) {
        Set<String> protects = new LinkedHashSet<>();
        for (Text target : section.texts(
                "protects",
                MOST_TARGETS,
                "expected a list such as [orders-db]",
                "leave it out to protect all targets")) {
            if (!targets.contains(target.value())) {
                problems.add(
                        target,
                        "'protects' names the target " + quoted(target.value()) + ", which is not there",
                        Section.oneOf(
                                targets.stream().filter(name -> !name.isEmpty()).toList()),
                        Nearest.to(target.value(), targets));
            } else if (!protects.add(target.value())) {
                problems.add(target, "'protects' names the target " + quoted(target.value()) + " twice", "remove one");
            }
        }
        return protects;
    }

    private static String quoted(String text) {
        return text == null || text.isEmpty() ? "without a name" : "'" + Problem.shown(text) + "'";
    }
}
