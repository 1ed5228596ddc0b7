/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.config.ClaimAt;
import io.lockfence.agent.config.Durations;
import io.lockfence.agent.config.Ends;
import io.lockfence.agent.config.HeldWhen;
import io.lockfence.agent.config.JdbcDestination;
import io.lockfence.agent.config.LibraryLocks;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.MethodLocks;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What rules mean, in words: mode, then each lock with its resources and targets, then each target. */
final class Meaning {
    private final Rules rules;
    private final List<String> lines = new ArrayList<>();

    private Meaning(Rules rules) {
        this.rules = rules;
    }

    /** Lines for people. */
    static List<String> of(Rules rules) {
        Meaning meaning = new Meaning(rules);
        meaning.write();
        return meaning.lines;
    }

    private void write() {
        line("mode %s: %s", word(rules.mode()), does(rules.mode()));
        if (rules.mode() == Mode.OFF) {
            return;
        }
        if (rules.strict()) {
            line("strict: a file with problems stops the JVM");
        }
        line(
                "a claim waits %s at most; a transaction that holds a fence may idle for %s",
                Durations.text(rules.claimTimeout()), Durations.text(rules.guardIdle()));
        rules.locks().forEach(this::lock);
        rules.targets().forEach(this::target);
    }

    private void lock(LockRule lock) {
        line(
                "lock %s, mode %s%s",
                lock.name(), word(lock.mode()), lock.mode() == rules.mode() ? "" : ": " + does(lock.mode()));
        if (lock.origin() instanceof LibraryLocks library) {
            line("  %s locks named %s", library.library(), library.key());
            line("  fence the resource %s, generation %d", library.resource(), lock.generation());
        } else if (lock.origin() instanceof MethodLocks methods) {
            methods(methods);
            line("  fence the resource %s, generation %d", methods.resource(), lock.generation());
        }
        line("  on %s", targetsOf(lock));
        line(
                "  %s",
                lock.claim() == ClaimAt.ACQUIRE
                        ? "claimed inside the acquire call"
                        : "claimed before the first statement under the lock");
        if (!lock.guardAtRelease()) {
            line(
                    "  an unlock inside a transaction is not guarded: the next holder may read what this one has not committed");
        }
        if (lock.ends() == Ends.UNLOCK) {
            line("  a lease that was never unlocked stays on its thread, dead or alive");
        }
    }

    private void methods(MethodLocks methods) {
        String held = methods.when() == HeldWhen.ALWAYS ? " whenever it returns" : " by what it returns";
        methods.acquire().forEach(method -> line("  locks taken by %s,%s", method, held));
        methods.renew().forEach(method -> line("  prolonged by %s", method));
        methods.release().forEach(method -> line("  given back by %s", method));
        if (methods.release().isEmpty()) {
            line("  never given back: they end by their time");
        }
        line("  %s", methods.lease() == null ? "for a time that is not known" : "for " + methods.lease());
        line(
                "  %s",
                methods.token() == null ? "with a token that the claim issues" : "with the token " + methods.token());
    }

    private String targetsOf(LockRule lock) {
        List<String> names = rules.targets().stream()
                .filter(lock::protects)
                .map(TargetRule::name)
                .toList();
        return (names.size() == 1 ? "target " : "targets ") + String.join(", ", names);
    }

    private void target(TargetRule target) {
        line("target %s", target.name());
        boolean calls = target.destination() instanceof MethodDestination;
        if (target.destination() instanceof JdbcDestination databases) {
            line(
                    "  %s",
                    databases.pattern().toString().equals("**")
                            ? "every JDBC database"
                            : "databases that match " + databases.pattern());
        } else if (target.destination() instanceof MethodDestination methods) {
            methods.methods()
                    .forEach(method -> line("  calls of %s, refused before they run; there is no fence", method));
        }
        String effects = calls ? "calls" : "writes";
        line(
                "  %s",
                switch (target.unleased()) {
                    case ALLOW -> effects + " under no lease pass";
                    case REPORT -> effects + " under no lease are reported";
                    case REJECT -> effects + " under no lease are refused";
                });
        if (target.destination() instanceof JdbcDestination databases) {
            line(
                    "  %s",
                    switch (databases.expired()) {
                        case REFUSE -> "the commit of an expired lease is refused";
                        case GUARD -> "the commit of an expired lease passes if its guard still holds";
                    });
        } else if (target.destination() instanceof MethodDestination methods) {
            line(
                    "  %s",
                    switch (methods.afterRelease()) {
                        case ALLOW -> "calls after the lock was given back pass";
                        case REPORT -> "calls after the lock was given back are reported";
                        case REJECT -> "calls after the lock was given back are refused";
                    });
        }
        if (rules.locks().stream().noneMatch(lock -> lock.protects(target))) {
            line("  note: no lock protects it");
        }
    }

    private static String does(Mode mode) {
        return switch (mode) {
            case OFF -> "nothing is done";
            case OBSERVE -> "nothing leaves the JVM and nothing is refused; what can be seen is reported";
            case SHADOW -> "claims and guards run; what they would refuse is only reported";
            case ENFORCE -> "what a dead lease sends is refused";
        };
    }

    private static String word(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private void line(String format, Object... values) {
        lines.add(String.format(Locale.ROOT, format, values));
    }
}
