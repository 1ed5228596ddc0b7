/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Table;
import java.time.Duration;
import java.util.List;

/** Turns the tree of a file into rules, or into everything that is wrong with it. */
final class RulesReader {
    static final String UNSUPPORTED = " is not supported by this version (0.1)";
    static final String SUPPORTED =
            "remove it: this version fences locks of redisson and of methods, on PostgreSQL databases and in calls of methods";

    static final List<String> KEYS = List.of("mode", "strict", "claimTimeout", "guardIdle", "locks", "targets");
    private static final List<String> LATER_KEYS = List.of("receive", "propagate");

    private final Problems problems;
    private boolean strict;

    RulesReader(Problems problems) {
        this.problems = problems;
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
        Section file = new Section(table, "", KEYS, LATER_KEYS, problems);
        strict = file.flag("strict", false);
        Mode mode = file.word("mode", Mode.class, Mode.OBSERVE);
        Duration claimTimeout =
                file.duration("claimTimeout", Duration.ofMillis(100), Duration.ofMinutes(10), Rules.CLAIM_TIMEOUT);
        Duration guardIdle = file.duration("guardIdle", Duration.ofSeconds(1), Duration.ofHours(24), Rules.GUARD_IDLE);
        TargetsReader targets = new TargetsReader(problems);
        List<TargetRule> targetRules = targets.read(file);
        List<LockRule> lockRules = new LocksReader(problems, mode, targets.names()).read(file);
        targets.compareWith(lockRules);
        return problems.none()
                ? new Rules(
                        mode,
                        strict,
                        claimTimeout,
                        guardIdle,
                        lockRules,
                        targetRules,
                        List.of(),
                        Propagation.EVERYWHERE,
                        source)
                : null;
    }
}
