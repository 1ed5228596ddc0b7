/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/** Reads {@code targets}. */
final class TargetsReader {
    /** What makes an entry of {@code targets} a method target. */
    static final String MARK = "method";

    static final List<String> KEYS = List.of("name", "jdbc", MARK, "unleased", "expired", "afterRelease");
    static final List<String> JDBC_KEYS = List.of("jdbc", "expired");
    static final List<String> METHOD_KEYS = List.of(MARK, "afterRelease");
    private static final List<String> LATER_KEYS = List.of("http", "methods");
    static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String EXAMPLE = "expected a pattern such as \"jdbc:postgresql://*/orders\"";
    private static final String METHOD_EXAMPLE = "expected a method such as \"com.acme.plc.Plc#send(byte[])\"";
    static final int MOST = 50;
    static final int LONGEST = 500;

    private final Problems problems;
    private final List<Seen> seen = new ArrayList<>();

    TargetsReader(Problems problems) {
        this.problems = problems;
    }

    /** What later entries are compared with; what is wrong is null. */
    private record Seen(Section section, String name, JdbcPattern jdbc, List<MethodName> methods) {}

    List<TargetRule> read(Section file) {
        List<Section> sections = file.sections(
                "targets", "target", KEYS, LATER_KEYS, MOST, "leave it out to protect every JDBC database");
        if (sections == null) {
            TargetRule every = TargetRule.everyDatabase();
            seen.add(new Seen(file, every.name(), ((JdbcDestination) every.destination()).pattern(), null));
            return List.of(every);
        }
        List<TargetRule> rules = new ArrayList<>();
        for (Section section : sections) {
            TargetRule rule = target(section);
            if (rule != null) {
                rules.add(rule);
            }
        }
        return rules;
    }

    private TargetRule target(Section section) {
        String name = section.name("name");
        boolean byMethod = section.means(MARK);
        refuseStrays(section, section.has(MARK));
        Seen target = byMethod
                ? new Seen(section, name, null, methods(section))
                : new Seen(section, name, jdbc(section), null);
        Unleased unleased = section.word("unleased", Unleased.class, Unleased.ALLOW);
        Expired expired = section.word("expired", Expired.class, Expired.REFUSE);
        AfterRelease afterRelease = section.word("afterRelease", AfterRelease.class, AfterRelease.REPORT);
        compare(target);
        seen.add(target);
        Destination destination = target.methods() != null
                ? new MethodDestination(target.methods(), afterRelease)
                : target.jdbc() != null ? new JdbcDestination(target.jdbc(), expired, afterRelease) : null;
        return name != null && destination != null ? new TargetRule(name, destination, unleased) : null;
    }

    /** Null if anything is wrong with them. */
    private List<MethodName> methods(Section section) {
        return section.has(MARK) ? new MethodLocksReader(problems).methods(section, MARK, METHOD_EXAMPLE) : null;
    }

    private void refuseStrays(Section section, boolean byMethod) {
        for (String key : byMethod ? JDBC_KEYS : METHOD_KEYS) {
            if (section.has(key)) {
                problems.add(
                        section.at(key),
                        byMethod
                                ? "key '" + key + "'" + section.where() + " contradicts 'method' there"
                                : "key '" + key + "'" + section.where()
                                        + " belongs to a target with 'method'; for a database the guard decides",
                        !byMethod
                                ? "remove it"
                                : key.equals("jdbc")
                                        ? "expected either databases or methods, in a target each"
                                        : "a call is refused once its lease has expired, since nothing can be asked there: remove it");
            }
        }
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

    /** A method that takes or gives back a lock cannot be fenced: it would be refused to do what ends the refusals. */
    void compareWith(List<LockRule> locks) {
        for (Seen target : seen) {
            for (LockRule lock : locks) {
                if (target.methods() != null && lock.origin() instanceof MethodLocks methods) {
                    refuseLockMethods(target, lock, "acquire", methods.acquire());
                    refuseLockMethods(target, lock, "renew", methods.renew());
                    refuseLockMethods(target, lock, "release", methods.release());
                }
            }
        }
    }

    private void refuseLockMethods(Seen target, LockRule lock, String key, List<MethodName> names) {
        for (MethodName method : target.methods()) {
            if (names.contains(method)) {
                problems.add(
                        target.section().at(MARK),
                        target.section().label() + " names the method " + Problem.shown(method.toString())
                                + ", which is in '" + key + "' of lock '" + Problem.shown(lock.name()) + "' too",
                        "a method belongs to a lock or is fenced by one");
            }
        }
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
            if (hides(earlier, later) || sharesMethod(earlier, later)) {
                break;
            }
        }
    }

    private boolean hides(Seen earlier, Seen later) {
        if (later.jdbc() == null || earlier.jdbc() == null || !earlier.jdbc().covers(later.jdbc())) {
            return false;
        }
        problems.add(
                later.section().at("jdbc"),
                later.section().label() + " is never used: " + earlier.section().label() + " at line "
                        + earlier.section().at("jdbc").line() + " matches every URL first that it matches",
                "put the narrower pattern first, or remove one");
        return true;
    }

    private boolean sharesMethod(Seen earlier, Seen later) {
        if (later.methods() != null && earlier.methods() != null) {
            for (MethodName method : later.methods()) {
                if (earlier.methods().contains(method)) {
                    problems.add(
                            later.section().at(MARK),
                            later.section().label() + " is the method " + Problem.shown(method.toString()) + ", as "
                                    + earlier.section().label() + " at line "
                                    + earlier.section().at(MARK).line() + " is",
                            "expected other methods, or one target");
                    return true;
                }
            }
        }
        return false;
    }
}
