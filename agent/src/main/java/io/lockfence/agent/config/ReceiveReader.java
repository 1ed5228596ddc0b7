/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads {@code receive}. */
final class ReceiveReader {
    private static final String PATH = "path";
    private static final String REQUIRE = "require";
    private static final String FENCE = "fence";
    private static final String TRUST = "trust";
    private static final String FROM = "from";
    private static final String SIGNERS = "keys";
    private static final String LEAP = "leap";
    private static final String PROTECTS = "protects";

    static final List<String> KEYS =
            List.of("name", "mode", PATH, HttpMethods.KEY, REQUIRE, FENCE, TRUST, FROM, SIGNERS, LEAP, PROTECTS);
    /** Keys that mean nothing where nobody is believed. */
    static final List<String> KEYS_OF_TRUST = List.of(REQUIRE, FENCE, LEAP, PROTECTS);

    private static final String PATH_EXAMPLE = "expected a pattern of paths such as \"/stock/**\"";
    private static final String FROM_EXAMPLE = "expected a network such as 192.0.2.0/24";
    static final int MOST = 100;
    static final int LONGEST = 200;
    static final int MOST_SIGNERS = 2;

    private final Problems problems;
    private final Mode mode;
    private final TargetNames targets;
    private final KeyVariables keys;
    private final List<Seen> seen = new ArrayList<>();

    /**
     * @param mode of the file
     * @param targets the names that {@code protects} and {@code fence} may use
     */
    ReceiveReader(Problems problems, Mode mode, TargetNames targets, KeyVariables keys) {
        this.problems = problems;
        this.mode = mode;
        this.targets = targets;
        this.keys = keys;
    }

    /** What later entries are compared with; what is wrong is null. */
    private record Seen(Section section, String name, PathPattern path, Set<String> methods) {}

    /**
     * The rules.
     *
     * @param locks reports name leases by the rule of their lock, or by that of their request
     */
    List<ReceiveRule> read(Section file, List<LockRule> locks) {
        List<Section> sections =
                file.sections("receive", "receive rule", KEYS, MOST, "leave it out to take no leases from requests");
        List<ReceiveRule> rules = new ArrayList<>();
        if (sections != null) {
            for (Section section : sections) {
                if (problems.full()) {
                    break;
                }
                ReceiveRule rule = rule(section, locks);
                if (rule != null) {
                    rules.add(rule);
                }
            }
        }
        return rules;
    }

    private ReceiveRule rule(Section section, List<LockRule> locks) {
        String name = section.name("name");
        Mode own = section.word("mode", Mode.class, mode);
        PathPattern path = path(section);
        Set<String> methods = HttpMethods.read(section, Set.of(), "leave it out for every method", problems);
        boolean require = section.flag(REQUIRE, false);
        String fence = targets.database(section, FENCE);
        Trust trust = trust(section);
        List<Network> from = from(section, trust);
        List<String> signers = signers(section, trust);
        long leap = section.number(LEAP, ReceiveRule.LEAP);
        Set<String> protects = targets.protects(section);
        if (fence != null && !protects.isEmpty() && !protects.contains(fence)) {
            problems.add(
                    section.at(FENCE),
                    "'fence'" + section.where() + " names the target '" + Problem.shown(fence)
                            + "', which is not in 'protects' there",
                    "add it there, or remove one of the two keys");
        }
        compare(new Seen(section, name, path, methods), locks);
        return name != null && path != null && trust != null
                ? new ReceiveRule(
                        name,
                        mode == Mode.OFF ? Mode.OFF : own,
                        path,
                        methods,
                        require,
                        fence,
                        trust,
                        from,
                        signers,
                        leap,
                        protects)
                : null;
    }

    private PathPattern path(Section section) {
        String text = section.required(PATH, PATH_EXAMPLE);
        if (text == null) {
            return null;
        }
        String shown = "the path '" + Problem.shown(text) + "'" + section.where();
        if (text.length() > LONGEST) {
            problems.add(section.at(PATH), shown + " is too long", "use '*' or '**'");
            return null;
        }
        try {
            return PathPattern.parse(text);
        } catch (IllegalArgumentException e) {
            problems.add(section.at(PATH), shown + " is wrong: " + e.getMessage(), PATH_EXAMPLE);
            return null;
        }
    }

    /** Null if it is wrong or missing: nobody is believed by default, and nobody is meant to be by accident. */
    private Trust trust(Section section) {
        if (!section.has(TRUST)) {
            section.required(TRUST, Section.oneOf(Words.all(Trust.class)) + ": whom the header is believed");
            return null;
        }
        Trust trust = section.word(TRUST, Trust.class, null);
        if (trust == Trust.NONE) {
            for (String key : KEYS_OF_TRUST) {
                if (section.has(key)) {
                    problems.add(
                            section.at(key),
                            "'" + key + "'" + section.where()
                                    + " contradicts 'trust: none' there: no lease is taken from any request",
                            "expected 'trust: network' or 'trust: signed', or no '" + key + "'");
                }
            }
        }
        return trust;
    }

    private List<Network> from(Section section, Trust trust) {
        requireWith(section, FROM, trust, Trust.NETWORK, FROM_EXAMPLE);
        List<Network> networks = new ArrayList<>();
        for (Text text : section.textOrTexts(FROM, FROM_EXAMPLE)) {
            String what = "'" + FROM + "'" + section.where() + " is '" + Problem.shown(text.value()) + "'";
            try {
                Network network = Network.parse(text.value());
                if (networks.contains(network)) {
                    problems.add(text, "'" + FROM + "'" + section.where() + " names a network twice", "remove one");
                }
                networks.add(network);
            } catch (WrongText e) {
                problems.add(text, what + ": " + e.getMessage(), FROM_EXAMPLE, e.nearest());
            } catch (IllegalArgumentException e) {
                problems.add(text, what + ": " + e.getMessage(), FROM_EXAMPLE);
            }
        }
        return networks;
    }

    private List<String> signers(Section section, Trust trust) {
        requireWith(section, SIGNERS, trust, Trust.SIGNED, KeyVariables.EXAMPLE);
        List<Text> texts = section.textOrTexts(SIGNERS, KeyVariables.EXAMPLE);
        if (texts.size() > MOST_SIGNERS) {
            problems.add(
                    section.at(SIGNERS),
                    "'" + SIGNERS + "'" + section.where() + " has more than " + MOST_SIGNERS + " entries",
                    "expected one, or two while they change");
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (Text text : texts) {
            String name = keys.read(section, SIGNERS, text);
            if (name != null && names.contains(name)) {
                problems.add(text, "'" + SIGNERS + "'" + section.where() + " names a variable twice", "remove one");
            }
            names.add(name == null ? "" : name);
        }
        return names;
    }

    private void requireWith(Section section, String key, Trust trust, Trust with, String example) {
        if (trust == with && !section.has(key)) {
            section.required(key, example);
        } else if (trust != null && trust != with && section.has(key)) {
            problems.add(
                    section.at(key),
                    "'" + key + "'" + section.where() + " contradicts 'trust: " + Words.of(trust) + "' there",
                    "expected 'trust: " + Words.of(with) + "', or no '" + key + "'");
        }
    }

    private void compare(Seen later, List<LockRule> locks) {
        for (LockRule lock : locks) {
            if (lock.name().equals(later.name())) {
                problems.add(
                        later.section().at("name"),
                        later.section().label() + " has the name of a lock",
                        "expected another name, since reports name leases by their rules");
            }
        }
        for (Seen earlier : seen) {
            if (later.name() != null && later.name().equals(earlier.name())) {
                problems.twice(later.section(), earlier.section());
                break;
            }
        }
        for (Seen earlier : seen) {
            if (hides(earlier, later)) {
                problems.add(
                        later.section().at(PATH),
                        later.section().label() + " is never used: "
                                + earlier.section().label() + " at line "
                                + earlier.section().at(PATH).line()
                                + " matches every request first that it matches",
                        "put the narrower rule first, or remove one");
                break;
            }
        }
        seen.add(later);
    }

    private static boolean hides(Seen earlier, Seen later) {
        boolean everyMethod = earlier.methods().isEmpty()
                || !later.methods().isEmpty() && earlier.methods().containsAll(later.methods());
        return everyMethod
                && earlier.path() != null
                && later.path() != null
                && earlier.path().covers(later.path());
    }
}
