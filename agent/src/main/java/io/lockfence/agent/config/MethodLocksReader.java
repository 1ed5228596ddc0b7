/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the keys of a lock that are special to method rules. */
final class MethodLocksReader {
    /** What makes an entry of {@code locks} a method rule. */
    static final String MARK = "acquire";

    static final String SCOPE = "scope";
    static final List<String> KEYS = List.of(MARK, "when", "lease", "token", "renew", "release");

    private static final String METHOD_EXAMPLE =
            "expected a method such as \"com.acme.LockClient#tryAcquire(java.lang.String,java.time.Duration)\"";
    private static final String RESOURCE_EXAMPLE = "expected a name such as \"settlement/{arg0}\"";
    private static final String LEASE_EXAMPLE =
            "expected a duration such as 30s, or where the call has it: arg1, \"arg1 ms\" or \"arg1 arg2\"";
    private static final String PATH_EXAMPLE = "expected a path such as arg0, result.name or this.name";

    private final Problems problems;

    MethodLocksReader(Problems problems) {
        this.problems = problems;
    }

    /** Whose work the leases cover. */
    static LeaseScope scope(Section section, Problems problems) {
        LeaseScope scope = section.word(SCOPE, LeaseScope.class, LeaseScope.THREAD);
        if (scope == LeaseScope.PROCESS && section.has("ends")) {
            problems.add(
                    section.at("ends"),
                    "'ends'" + section.where() + " contradicts 'scope: process' there",
                    "a lease of the process stays until it is released or taken anew; remove one of the two");
        }
        return scope;
    }

    /** Null if anything is wrong with it. */
    MethodLocks read(Section section, String name) {
        List<MethodName> acquire = methods(section, MARK, METHOD_EXAMPLE);
        HeldWhen when = section.word("when", HeldWhen.class, HeldWhen.RESULT);
        MethodResource resource = resource(section);
        LeaseTime lease = lease(section);
        ValuePath token = token(section);
        List<MethodName> renew = methods(section, "renew", METHOD_EXAMPLE);
        List<MethodName> release = methods(section, "release", METHOD_EXAMPLE);
        LeaseScope scope = scope(section, problems);
        if (!section.has("lease") && !section.has("token")) {
            problems.add(
                    section.at(MARK),
                    "missing key 'lease'" + section.where()
                            + ": the database issues its tokens, so that the time of a hold is all that keeps an old one from claiming",
                    LEASE_EXAMPLE);
        }
        contradictions(section, acquire, renew, release);
        if (resource != null && resource.usesResult() && section.has("release")) {
            problems.add(
                    section.at("resource"),
                    "the resource '" + resource + "'" + section.where()
                            + " is read from what a call returns, but a lease ends before 'release' returns",
                    "expected arguments or 'this', which 'acquire' and 'release' have alike");
        }
        boolean complete = name != null
                && acquire != null
                && resource != null
                && (lease != null || !section.has("lease"))
                && (token != null || !section.has("token"))
                && renew != null
                && release != null;
        return complete ? new MethodLocks(name, acquire, when, resource, lease, token, renew, release, scope) : null;
    }

    private void contradictions(
            Section section, List<MethodName> acquire, List<MethodName> renew, List<MethodName> release) {
        both(section, "release", release, MARK, acquire);
        both(section, "renew", renew, MARK, acquire);
        both(section, "renew", renew, "release", release);
    }

    private void both(Section section, String key, List<MethodName> these, String other, List<MethodName> those) {
        if (these != null && those != null) {
            for (MethodName method : these) {
                if (those.contains(method)) {
                    problems.add(
                            section.at(key),
                            "'" + key + "'" + section.where() + " names the method " + Problem.shown(method.toString())
                                    + ", which is in '" + other + "' too",
                            "a method does one of the two");
                }
            }
        }
    }

    /** Empty if the key is not there; null if anything is wrong. */
    List<MethodName> methods(Section section, String key, String example) {
        if (!section.has(key)) {
            return List.of();
        }
        List<Text> texts = section.textOrTexts(key, example);
        boolean wrong = texts.isEmpty();
        List<MethodName> methods = new ArrayList<>();
        for (Text text : texts) {
            String what = "'" + key + "'" + section.where() + " is '" + Problem.shown(text.value()) + "'";
            try {
                MethodName method = MethodName.parse(text.value());
                if (methods.contains(method)) {
                    problems.add(text, "'" + key + "'" + section.where() + " names a method twice", "remove one");
                    wrong = true;
                }
                methods.add(method);
            } catch (WrongText e) {
                problems.add(text, what + ": " + e.getMessage(), example, e.nearest());
                wrong = true;
            }
        }
        return wrong ? null : methods;
    }

    private MethodResource resource(Section section) {
        String text = section.required("resource", RESOURCE_EXAMPLE);
        return parsed(section, "resource", text, MethodResource::parse, PATH_EXAMPLE, RESOURCE_EXAMPLE);
    }

    private LeaseTime lease(Section section) {
        String text = section.text("lease", LEASE_EXAMPLE);
        return parsed(section, "lease", text, LeaseTime::parse, LEASE_EXAMPLE, LEASE_EXAMPLE);
    }

    private ValuePath token(Section section) {
        String text = section.text("token", "expected a path such as result.fencingToken");
        return parsed(section, "token", text, ValuePath::parse, PATH_EXAMPLE, PATH_EXAMPLE);
    }

    /** Null if the text is, or if it is wrong. */
    private <T> T parsed(
            Section section, String key, String text, Function<String, T> parser, String pathExample, String example) {
        if (text == null) {
            return null;
        }
        try {
            return parser.apply(text);
        } catch (WrongText e) {
            problems.add(section.at(key), wrong(key, text, section, e), pathExample, e.nearest());
        } catch (IllegalArgumentException e) {
            problems.add(section.at(key), wrong(key, text, section, e), example);
        }
        return null;
    }

    private static String wrong(String what, String text, Section section, IllegalArgumentException why) {
        return "the " + what + " '" + Problem.shown(text) + "'" + section.where() + " is wrong: " + why.getMessage();
    }
}
