/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.ResourceTemplate.UnknownCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads {@code locks}. */
final class LocksReader {
    static final String VERIFY_EVERY = "verifyEvery";
    static final Duration LEAST_VERIFY = Duration.ofMillis(100);
    static final Duration MOST_VERIFY = Duration.ofSeconds(10);
    static final List<String> KEYS = List.of(
            "name",
            "mode",
            "library",
            "key",
            "acquire",
            "when",
            "resource",
            "lease",
            "token",
            "renew",
            "release",
            "scope",
            "generation",
            "protects",
            "claim",
            "guardAtRelease",
            "ends",
            VERIFY_EVERY);
    static final List<String> LIBRARY_KEYS = List.of("library", "key");
    private static final List<String> LATER_LIBRARIES = List.of("hazelcast", "shedlock", "spring-integration");
    private static final String KEY_EXAMPLE = "expected a pattern of lock names such as \"order:{id}\"";
    private static final String RESOURCE_EXAMPLE = "expected a name such as \"orders/{id}\"";
    static final int MOST = 1000;

    private final Problems problems;
    private final Mode mode;
    private final TargetNames targets;
    private final List<Seen> seen = new ArrayList<>();

    /**
     * @param mode of the file
     * @param targets the names that {@code protects} may use
     */
    LocksReader(Problems problems, Mode mode, TargetNames targets) {
        this.problems = problems;
        this.mode = mode;
        this.targets = targets;
    }

    /** What later entries are compared with; what is wrong is null. */
    private record Seen(
            Section section,
            String name,
            String library,
            KeyPattern key,
            ResourceTemplate resource,
            LeaseScope scope,
            Duration verifyEvery,
            MethodLocks methods) {
        LockOrigin origin() {
            boolean complete = name != null && library != null && key != null && resource != null;
            return methods != null
                    ? methods
                    : complete ? new LibraryLocks(library, key, resource, scope, verifyEvery) : null;
        }

        /** Null where it is not known. */
        String shape() {
            return methods != null ? methods.resource().shape() : resource == null ? null : resource.shape();
        }

        /** Where the entry says which locks it is about. */
        YamlNode at() {
            return section.at(section.has(MethodLocksReader.MARK) ? MethodLocksReader.MARK : "key");
        }
    }

    List<LockRule> read(Section file) {
        List<Section> sections = file.sections(
                "locks", "lock", KEYS, MOST, "leave it out for every lock of " + String.join(", ", Rules.LIBRARIES));
        if (sections == null) {
            return Rules.everyLock(mode);
        }
        List<LockRule> rules = new ArrayList<>();
        for (Section section : sections) {
            if (problems.full()) {
                break;
            }
            LockRule rule = lock(section);
            if (rule != null) {
                rules.add(rule);
            }
        }
        return rules;
    }

    private LockRule lock(Section section) {
        String name = section.name("name");
        Mode own = section.word("mode", Mode.class, mode);
        Seen lock = section.has(MethodLocksReader.MARK) ? byMethods(section, name) : byLibrary(section, name);
        int generation = section.count("generation", 0);
        Set<String> protects = targets.protects(section);
        ClaimAt claim = section.word("claim", ClaimAt.class, ClaimAt.FIRST_ACCESS);
        boolean guardAtRelease = section.flag("guardAtRelease", true);
        Ends ends = section.word("ends", Ends.class, Ends.DEADLINE);
        if (claim == ClaimAt.ACQUIRE && section.has("mode") && (own == Mode.OBSERVE || own == Mode.OFF)) {
            problems.add(
                    section.at("claim"),
                    "'claim: acquire'" + section.where() + " contradicts 'mode: " + Words.of(own)
                            + "' there: nothing is claimed",
                    "expected mode shadow or enforce, or no 'claim'");
        }
        compare(lock);
        seen.add(lock);
        LockOrigin origin = lock.origin();
        return origin != null
                ? new LockRule(
                        name,
                        mode == Mode.OFF ? Mode.OFF : own,
                        origin,
                        generation,
                        protects,
                        claim,
                        guardAtRelease,
                        ends)
                : null;
    }

    private Seen byLibrary(Section section, String name) {
        boolean strays = false;
        for (String key : MethodLocksReader.KEYS) {
            if (section.has(key)) {
                strays = true;
                problems.add(
                        section.at(key),
                        "key '" + key + "'" + section.where() + " belongs to a method rule, which has 'acquire'",
                        "expected 'acquire' in place of 'library' and 'key', or no '" + key + "'");
            }
        }
        if (strays && !section.has("library") && !section.has("key")) {
            return new Seen(section, name, null, null, resource(section, null), LeaseScope.THREAD, null, null);
        }
        String library = library(section);
        KeyPattern key = key(section);
        return new Seen(
                section,
                name,
                library,
                key,
                resource(section, key),
                scope(section, library),
                verifyEvery(section, library),
                null);
    }

    private Seen byMethods(Section section, String name) {
        for (String key : LIBRARY_KEYS) {
            if (section.has(key)) {
                problems.add(
                        section.at(key),
                        "key '" + key + "'" + section.where() + " contradicts 'acquire' there",
                        "expected either a library with its key, or methods");
            }
        }
        MethodLocks methods = new MethodLocksReader(problems).read(section, name);
        if (section.has(VERIFY_EVERY)) {
            problems.add(
                    section.at(VERIFY_EVERY),
                    "key '" + VERIFY_EVERY + "'" + section.where()
                            + " contradicts 'acquire' there: methods cannot be asked",
                    "expected no '" + VERIFY_EVERY + "'");
        }
        return new Seen(section, name, null, null, null, LeaseScope.THREAD, null, methods);
    }

    private String library(Section section) {
        String library = section.required("library", Section.oneOf(Rules.LIBRARIES));
        if (library == null || Rules.LIBRARIES.contains(library)) {
            return library;
        }
        boolean later = LATER_LIBRARIES.contains(library);
        String what = "library '" + Problem.shown(library) + "'" + section.where();
        problems.add(
                section.at("library"),
                later ? what + RulesReader.UNSUPPORTED : "unknown " + what,
                Section.oneOf(Rules.LIBRARIES),
                later ? "" : Nearest.to(library, Rules.LIBRARIES));
        return null;
    }

    private LeaseScope scope(Section section, String library) {
        LeaseScope scope = MethodLocksReader.scope(section, problems);
        if (scope == LeaseScope.PROCESS && library != null && !Rules.LEADERSHIP_LIBRARIES.contains(library)) {
            problems.add(
                    section.at(MethodLocksReader.SCOPE),
                    "'scope: process'" + section.where() + " is for leadership: the locks of " + library
                            + " belong to threads",
                    "expected a library of " + String.join(", ", Rules.LEADERSHIP_LIBRARIES) + ", or 'scope: thread'");
        }
        return scope;
    }

    /** How old an answer may be that a write relies on, where the coordinator grants the lock for no time. */
    private Duration verifyEvery(Section section, String library) {
        Duration every = section.duration(VERIFY_EVERY, LEAST_VERIFY, MOST_VERIFY, Rules.VERIFY_EVERY);
        if (section.has(VERIFY_EVERY) && library != null && !Rules.VERIFYING_LIBRARIES.contains(library)) {
            problems.add(
                    section.at(VERIFY_EVERY),
                    "'" + VERIFY_EVERY + "'" + section.where()
                            + " is for sessions without a time to live: the locks of " + library + " always have one",
                    "expected a library of " + String.join(", ", Rules.VERIFYING_LIBRARIES) + ", or no '" + VERIFY_EVERY
                            + "'");
        }
        return every;
    }

    private KeyPattern key(Section section) {
        String text = section.required("key", KEY_EXAMPLE);
        if (text == null) {
            return null;
        }
        try {
            return KeyPattern.parse(text);
        } catch (IllegalArgumentException e) {
            problems.add(section.at("key"), wrong("key", text, section, e), KEY_EXAMPLE);
            return null;
        }
    }

    private ResourceTemplate resource(Section section, KeyPattern key) {
        String text = section.text("resource", RESOURCE_EXAMPLE);
        if (text == null) {
            return key == null || section.has("resource") ? null : ResourceTemplate.lockName(key);
        }
        try {
            if (key == null) {
                ResourceTemplate.parts(text);
                return null;
            }
            return ResourceTemplate.parse(text, key);
        } catch (UnknownCapture e) {
            problems.add(
                    section.at("resource"),
                    wrong("resource", text, section, e),
                    key.captures().isEmpty() ? "expected a capture in the key" : Section.oneOf(key.captures()),
                    Nearest.to(e.capture(), key.captures()));
        } catch (IllegalArgumentException e) {
            problems.add(section.at("resource"), wrong("resource", text, section, e), RESOURCE_EXAMPLE);
        }
        return null;
    }

    private static String wrong(String what, String text, Section section, IllegalArgumentException why) {
        return "the " + what + " '" + Problem.shown(text) + "'" + section.where() + " is wrong: " + why.getMessage();
    }

    private void compare(Seen later) {
        for (Seen earlier : seen) {
            if (later.name() != null && later.name().equals(earlier.name())) {
                problems.twice(later.section(), earlier.section());
                break;
            }
        }
        for (Seen earlier : seen) {
            if (clash(later, earlier)) {
                break;
            }
        }
    }

    private boolean clash(Seen later, Seen earlier) {
        if (later.library() != null
                && later.library().equals(earlier.library())
                && later.key() != null
                && earlier.key() != null
                && earlier.key().covers(later.key())) {
            problems.add(
                    later.section().at("key"),
                    later.section().label() + " is never used: "
                            + earlier.section().label() + " at line "
                            + earlier.section().at("key").line() + " matches every name first that it matches",
                    "put the narrower key first, or remove one");
            return true;
        }
        if (later.methods() != null && earlier.methods() != null) {
            for (MethodName method : later.methods().acquire()) {
                if (earlier.methods().acquire().contains(method)) {
                    problems.add(
                            later.at(),
                            later.section().label() + " is taken by " + Problem.shown(method.toString()) + ", as "
                                    + earlier.section().label() + " at line "
                                    + earlier.at().line() + " is",
                            "expected other methods, or one lock");
                    return true;
                }
            }
        }
        // Tokens of different locks cannot be compared (P7): equal names would be refused, by whoever comes second.
        if (later.shape() != null && later.shape().equals(earlier.shape())) {
            String at = later.section().has("resource") ? "resource" : "key";
            problems.add(
                    later.section().at(at),
                    later.section().label() + " has the same resources as "
                            + earlier.section().label() + " at line "
                            + earlier.at().line(),
                    "expected a resource of its own for each lock");
            return true;
        }
        return false;
    }
}
