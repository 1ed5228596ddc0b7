/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/** Reads {@code targets}. */
final class TargetsReader {
    static final List<String> KEYS = List.of("name", "jdbc", "unleased", "expired");
    private static final List<String> LATER_KEYS = List.of("http", "methods", "method", "afterRelease");
    static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String EXAMPLE = "expected a pattern such as \"jdbc:postgresql://*/orders\"";
    static final int MOST = 50;
    static final int LONGEST = 500;

    private final Problems problems;
    private final List<Seen> seen = new ArrayList<>();

    TargetsReader(Problems problems) {
        this.problems = problems;
    }

    /** What later entries are compared with; name and jdbc are null where they are wrong. */
    private record Seen(Section section, String name, JdbcPattern jdbc) {}

    List<TargetRule> read(Section file) {
        List<Section> sections = file.sections(
                "targets", "target", KEYS, LATER_KEYS, MOST, "leave it out to protect every JDBC database");
        if (sections == null) {
            TargetRule every = TargetRule.everyDatabase();
            seen.add(new Seen(file, every.name(), every.jdbc()));
            return List.of(every);
        }
        List<TargetRule> rules = new ArrayList<>();
        for (Section section : sections) {
            Seen target = new Seen(section, section.name("name"), jdbc(section));
            Unleased unleased = section.word("unleased", Unleased.class, Unleased.ALLOW);
            Expired expired = section.word("expired", Expired.class, Expired.REFUSE);
            compare(target);
            seen.add(target);
            if (target.name() != null && target.jdbc() != null) {
                rules.add(new TargetRule(target.name(), target.jdbc(), unleased, expired));
            }
        }
        return rules;
    }

    /** The names that {@code protects} may use, of entries with other mistakes too. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (Seen target : seen) {
            if (target.name() != null) {
                names.add(target.name());
            }
        }
        return names;
    }

    private JdbcPattern jdbc(Section section) {
        String text = section.required("jdbc", EXAMPLE);
        if (text == null) {
            return null;
        }
        String shown = "'" + Problem.shown(JdbcUrl.shown(text)) + "'" + section.where();
        if (text.length() > LONGEST) {
            problems.add(section.at("jdbc"), "the JDBC pattern " + shown + " is too long", "use '*' or '**'");
            return null;
        }
        try {
            JdbcPattern pattern = JdbcPattern.parse(text);
            if (pattern.reaches(POSTGRESQL)) {
                return pattern;
            }
            problems.add(section.at("jdbc"), "the database " + shown + RulesReader.UNSUPPORTED, RulesReader.SUPPORTED);
        } catch (IllegalArgumentException e) {
            problems.add(section.at("jdbc"), "the JDBC pattern " + shown + " is wrong: " + e.getMessage(), EXAMPLE);
        }
        return null;
    }

    private void compare(Seen later) {
        for (Seen earlier : seen) {
            if (later.name() != null && later.name().equals(earlier.name())) {
                problems.twice(later.section(), earlier.section());
                break;
            }
        }
        for (Seen earlier : seen) {
            if (later.jdbc() != null && earlier.jdbc() != null && earlier.jdbc().covers(later.jdbc())) {
                problems.add(
                        later.section().at("jdbc"),
                        later.section().label() + " is never used: "
                                + earlier.section().label() + " at line "
                                + earlier.section().at("jdbc").line() + " matches every URL first that it matches",
                        "put the narrower pattern first, or remove one");
                break;
            }
        }
    }
}
