/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Table;
import io.lockfence.agent.config.YamlNode.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns the tree of a file into rules, or into everything that is wrong with it. */
final class RulesReader {
    static final String UNSUPPORTED = " is not supported by this version (0.1)";
    static final String SUPPORTED =
            "remove it: this version fences locks of redisson and of methods, on PostgreSQL databases, in HTTP requests and in calls of methods";

    static final List<String> KEYS =
            List.of("mode", "strict", "claimTimeout", "guardIdle", "locks", "targets", "receive", "propagate");
    static final List<String> PROPAGATE_KEYS = List.of("exclude");

    private static final String CLASS_EXAMPLE = "expected a pattern of class names such as \"com.acme.audit.*\"";

    private final Problems problems;
    private final Map<String, String> environment;
    private boolean strict;

    /** @param environment where keys are looked for; null to leave open whether they are there */
    RulesReader(Problems problems, Map<String, String> environment) {
        this.problems = problems;
        this.environment = environment;
    }

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
        Section file = new Section(table, "", KEYS, problems);
        strict = file.flag("strict", false);
        Mode mode = file.word("mode", Mode.class, Mode.OBSERVE);
        Duration claimTimeout =
                file.duration("claimTimeout", Duration.ofMillis(100), Duration.ofMinutes(10), Rules.CLAIM_TIMEOUT);
        Duration guardIdle = file.duration("guardIdle", Duration.ofSeconds(1), Duration.ofHours(24), Rules.GUARD_IDLE);
        KeyVariables keys = new KeyVariables(mode == Mode.OFF ? null : environment, problems);
        TargetsReader targets = new TargetsReader(problems, keys);
        List<TargetRule> targetRules = targets.read(file);
        List<LockRule> lockRules = new LocksReader(problems, mode, targets.names()).read(file);
        targets.compareWith(lockRules);
        List<ReceiveRule> receive = new ReceiveReader(problems, mode, targets.names(), keys).read(file, lockRules);
        Propagation propagation = propagation(file);
        return problems.none()
                ? new Rules(mode, strict, claimTimeout, guardIdle, lockRules, targetRules, receive, propagation, source)
                : null;
    }

    private Propagation propagation(Section file) {
        Section propagate = file.section("propagate", PROPAGATE_KEYS);
        if (propagate == null) {
            return Propagation.EVERYWHERE;
        }
        if (!propagate.has("exclude")) {
            propagate.required("exclude", CLASS_EXAMPLE);
        }
        List<String> patterns = new ArrayList<>();
        for (Text text : propagate.textOrTexts("exclude", CLASS_EXAMPLE)) {
            String what = "'exclude'" + propagate.where() + " is '" + Problem.shown(text.value()) + "'";
            try {
                Propagation.glob(text.value());
                if (patterns.contains(text.value())) {
                    problems.add(text, what + " twice", "remove one");
                }
                patterns.add(text.value());
            } catch (IllegalArgumentException e) {
                problems.add(text, what + ": " + e.getMessage(), CLASS_EXAMPLE);
            }
        }
        return new Propagation(patterns);
    }
}
