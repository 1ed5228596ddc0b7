/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads {@code targets}. */
final class TargetsReader {
    static final String JDBC = "jdbc";
    /** What makes an entry of {@code targets} a method target. */
    static final String METHOD = "method";
    /** What makes an entry of {@code targets} a target of requests. */
    static final String HTTP = "http";

    private static final String KEY = "key";
    private static final String EXPIRED = "expired";

    static final List<String> KEYS =
            List.of("name", JDBC, HTTP, METHOD, "unleased", EXPIRED, "afterRelease", HttpMethods.KEY, KEY);
    static final List<String> JDBC_KEYS = List.of(JDBC, EXPIRED);
    static final List<String> HTTP_KEYS = List.of(HTTP, HttpMethods.KEY, KEY);
    static final List<String> METHOD_KEYS = List.of(METHOD);
    /** The keys of each kind of target, by the one that makes it so. */
    private static final Map<String, List<String>> KINDS =
            Map.of(JDBC, JDBC_KEYS, HTTP, HTTP_KEYS, METHOD, METHOD_KEYS);

    private static final List<String> MARKS = List.of(METHOD, HTTP, JDBC);

    static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String EXAMPLE = "expected a pattern such as \"jdbc:postgresql://*/orders\"";
    private static final String HTTP_EXAMPLE = "expected a pattern such as \"https://stock.internal/**\"";
    private static final String METHOD_EXAMPLE = "expected a method such as \"com.acme.plc.Plc#send(byte[])\"";
    static final int MOST = 50;
    static final int LONGEST = 500;

    private final Problems problems;
    private final KeyVariables keys;
    private final List<Seen> seen = new ArrayList<>();

    TargetsReader(Problems problems, KeyVariables keys) {
        this.problems = problems;
        this.keys = keys;
    }

    /** What later entries are compared with; what is wrong is null. */
    private record Seen(
            Section section, String kind, String name, JdbcPattern jdbc, HttpPattern http, List<MethodName> methods) {}

    List<TargetRule> read(Section file) {
        List<Section> sections =
                file.sections("targets", "target", KEYS, MOST, "leave it out to protect every JDBC database");
        if (sections == null) {
            TargetRule every = TargetRule.everyDatabase();
            JdbcPattern pattern = ((JdbcDestination) every.destination()).pattern();
            seen.add(new Seen(file, JDBC, every.name(), pattern, null, null));
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
        String kind = kind(section);
        refuseStrays(section, kind);
        Seen target = new Seen(
                section,
                kind,
                name,
                kind.equals(JDBC) ? jdbc(section) : null,
                kind.equals(HTTP) ? http(section) : null,
                kind.equals(METHOD) ? methods(section) : null);
        Unleased unleased = section.word("unleased", Unleased.class, Unleased.ALLOW);
        Destination destination = destination(section, target);
        compare(target);
        seen.add(target);
        return name != null && destination != null ? new TargetRule(name, destination, unleased) : null;
    }

    /** What the entry has; else what it seems to be meant as, by a key that is misspelt or belongs to one kind. */
    private static String kind(Section section) {
        for (String mark : MARKS) {
            if (section.has(mark)) {
                return mark;
            }
        }
        for (String mark : MARKS) {
            if (section.means(mark)) {
                return mark;
            }
        }
        return section.has(HttpMethods.KEY) || section.has(KEY) ? HTTP : JDBC;
    }

    private Destination destination(Section section, Seen target) {
        AfterRelease afterRelease = section.word("afterRelease", AfterRelease.class, AfterRelease.REPORT);
        if (target.kind().equals(METHOD)) {
            return target.methods() == null ? null : new MethodDestination(target.methods(), afterRelease);
        }
        if (target.kind().equals(HTTP)) {
            Set<String> methods = HttpMethods.read(
                    section, HttpDestination.METHODS, "leave it out for POST, PUT, PATCH and DELETE", problems);
            String key = key(section);
            return target.http() == null ? null : new HttpDestination(target.http(), methods, afterRelease, key);
        }
        Expired expired = section.word(EXPIRED, Expired.class, Expired.REFUSE);
        return target.jdbc() == null ? null : new JdbcDestination(target.jdbc(), expired, afterRelease);
    }

    /** Null if anything is wrong with them. */
    private List<MethodName> methods(Section section) {
        return section.has(METHOD) ? new MethodLocksReader(problems).methods(section, METHOD, METHOD_EXAMPLE) : null;
    }

    private String key(Section section) {
        return section.text(KEY, KeyVariables.EXAMPLE) == null ? null : keys.read(section, KEY, (Text) section.at(KEY));
    }

    private void refuseStrays(Section section, String kind) {
        if (!section.has(kind)) {
            return;
        }
        for (Map.Entry<String, List<String>> other : KINDS.entrySet()) {
            for (String key : other.getKey().equals(kind) ? List.<String>of() : other.getValue()) {
                if (section.has(key)) {
                    problems.add(section.at(key), stray(section, kind, key, other.getKey()), whatNow(kind, key));
                }
            }
        }
    }

    private static String stray(Section section, String kind, String key, String belongs) {
        String what = "key '" + key + "'" + section.where();
        return key.equals(belongs) || key.equals(EXPIRED)
                ? what + " contradicts '" + kind + "' there"
                : what + " belongs to a target with '" + belongs + "'";
    }

    private static String whatNow(String kind, String key) {
        if (KINDS.containsKey(key)) {
            return "expected either databases, services or methods, in a target each";
        }
        if (!key.equals(EXPIRED)) {
            return "remove it";
        }
        return kind.equals(METHOD)
                ? "a call is refused once its lease has expired, since nothing can be asked there: remove it"
                : "a request is refused once its lease has expired, before it is sent: remove it";
    }

    /** The names that other parts may use, of entries with other mistakes too. */
    TargetNames names() {
        List<String> all = new ArrayList<>();
        List<String> databases = new ArrayList<>();
        for (Seen target : seen) {
            if (target.name() != null) {
                all.add(target.name());
                if (target.kind().equals(JDBC)) {
                    databases.add(target.name());
                }
            }
        }
        return new TargetNames(all, databases, problems);
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
                        target.section().at(METHOD),
                        target.section().label() + " names the method " + Problem.shown(method.toString())
                                + ", which is in '" + key + "' of lock '" + Problem.shown(lock.name()) + "' too",
                        "a method belongs to a lock or is fenced by one");
            }
        }
    }

    private JdbcPattern jdbc(Section section) {
        String text = section.required(JDBC, EXAMPLE + ", or 'http' or 'method' in its place");
        if (text == null) {
            return null;
        }
        String shown = "'" + Problem.shown(JdbcUrl.shown(text)) + "'" + section.where();
        if (text.length() > LONGEST) {
            problems.add(section.at(JDBC), "the JDBC pattern " + shown + " is too long", "use '*' or '**'");
            return null;
        }
        try {
            JdbcPattern pattern = JdbcPattern.parse(text);
            if (pattern.reaches(POSTGRESQL)) {
                return pattern;
            }
            problems.add(section.at(JDBC), "the database " + shown + RulesReader.UNSUPPORTED, RulesReader.SUPPORTED);
        } catch (IllegalArgumentException e) {
            problems.add(section.at(JDBC), "the JDBC pattern " + shown + " is wrong: " + e.getMessage(), EXAMPLE);
        }
        return null;
    }

    private HttpPattern http(Section section) {
        String text = section.required(HTTP, HTTP_EXAMPLE);
        if (text == null) {
            return null;
        }
        // Credentials are a mistake there, and are not shown.
        String shown = text.indexOf('@') < 0 ? "'" + Problem.shown(text) + "'" : "with '@'";
        if (text.length() > LONGEST) {
            problems.add(
                    section.at(HTTP), "the URL pattern " + shown + section.where() + " is too long", "use '*' or '**'");
            return null;
        }
        try {
            return HttpPattern.parse(text);
        } catch (IllegalArgumentException e) {
            problems.add(
                    section.at(HTTP),
                    "the URL pattern " + shown + section.where() + " is wrong: " + e.getMessage(),
                    HTTP_EXAMPLE);
            return null;
        }
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
        boolean hidden =
                later.jdbc() != null && earlier.jdbc() != null && earlier.jdbc().covers(later.jdbc())
                        || later.http() != null
                                && earlier.http() != null
                                && earlier.http().covers(later.http());
        if (hidden) {
            problems.add(
                    later.section().at(later.kind()),
                    later.section().label() + " is never used: "
                            + earlier.section().label() + " at line "
                            + earlier.section().at(earlier.kind()).line()
                            + " matches every URL first that it matches",
                    "put the narrower pattern first, or remove one");
        }
        return hidden;
    }

    private boolean sharesMethod(Seen earlier, Seen later) {
        if (later.methods() != null && earlier.methods() != null) {
            for (MethodName method : later.methods()) {
                if (earlier.methods().contains(method)) {
                    problems.add(
                            later.section().at(METHOD),
                            later.section().label() + " is the method " + Problem.shown(method.toString()) + ", as "
                                    + earlier.section().label() + " at line "
                                    + earlier.section().at(METHOD).line() + " is",
                            "expected other methods, or one target");
                    return true;
                }
            }
        }
        return false;
    }
}
