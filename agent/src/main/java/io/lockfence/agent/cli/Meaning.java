/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.ClaimAt;
import io.lockfence.agent.config.Durations;
import io.lockfence.agent.config.Ends;
import io.lockfence.agent.config.HeldWhen;
import io.lockfence.agent.config.HttpDestination;
import io.lockfence.agent.config.JdbcDestination;
import io.lockfence.agent.config.LibraryLocks;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.MethodLocks;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Network;
import io.lockfence.agent.config.ReceiveRule;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Trust;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

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
        rules.receive().forEach(this::receive);
        if (!rules.propagation().exclude().isEmpty()) {
            line(
                    "work given to executors inherits leases, except by classes named %s",
                    String.join(", ", rules.propagation().exclude()));
        }
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
        if (lock.library().equals("consul")) {
            line(
                    "  with a session without a TTL, Consul is asked before a write if its last answer is older than %s",
                    Durations.text(lock.verifyEvery()));
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
        String effects = "writes";
        AfterRelease afterRelease;
        if (target.destination() instanceof JdbcDestination databases) {
            line(
                    "  %s",
                    databases.pattern().toString().equals("**")
                            ? "every JDBC database"
                            : "databases that match " + databases.pattern());
            afterRelease = databases.afterRelease();
        } else if (target.destination() instanceof HttpDestination services) {
            services(services);
            effects = "requests";
            afterRelease = services.afterRelease();
        } else {
            MethodDestination methods = (MethodDestination) target.destination();
            methods.methods()
                    .forEach(method -> line("  calls of %s, refused before they run; there is no fence", method));
            effects = "calls";
            afterRelease = methods.afterRelease();
        }
        line(
                "  %s under no lease %s",
                effects,
                switch (target.unleased()) {
                    case ALLOW -> "pass";
                    case REPORT -> "are reported";
                    case REJECT -> "are refused";
                });
        if (target.destination() instanceof JdbcDestination databases) {
            line(
                    "  %s",
                    switch (databases.expired()) {
                        case REFUSE -> "the commit of an expired lease is refused";
                        case GUARD -> "the commit of an expired lease passes if its guard still holds";
                    });
        }
        line(
                "  %s after the lock was given back %s",
                effects,
                switch (afterRelease) {
                    case ALLOW -> "pass";
                    case REPORT -> "are reported";
                    case REJECT -> "are refused";
                });
        if (!isProtected(target)) {
            line("  note: no lock protects it");
        }
    }

    private boolean isProtected(TargetRule target) {
        return rules.locks().stream().anyMatch(lock -> lock.protects(target))
                || rules.receive().stream()
                        .anyMatch(rule ->
                                rule.trust() != Trust.NONE && rule.ofCallers(0).protects(target));
    }

    private void services(HttpDestination services) {
        line(
                "  requests to URLs that match %s, which carry the lease%s",
                services.pattern(), services.key() == null ? "" : ", signed with the key in " + services.key());
        line(
                "  %s are refused before they are sent, once the lease is dead",
                services.methods().stream().sorted().collect(Collectors.joining(", ")));
    }

    private void receive(ReceiveRule rule) {
        line(
                "requests %s, mode %s%s",
                rule.name(), word(rule.mode()), rule.mode() == rules.mode() ? "" : ": " + does(rule.mode()));
        String methods = rule.methods().stream().sorted().collect(Collectors.joining(", "));
        line("  %s%s", methods.isEmpty() ? "every method of " : methods + " ", rule.path());
        switch (rule.trust()) {
            case NONE -> {
                line("  are handled under no lease, whatever they carry");
                return;
            }
            case NETWORK ->
                line(
                        "  their leases are believed from %s",
                        rule.from().stream().map(Network::toString).collect(Collectors.joining(", ")));
            case SIGNED ->
                line("  their leases are believed if signed with the key in %s", String.join(" or ", rule.keys()));
        }
        line("  a token may be ahead by %d", rule.leap());
        if (rule.require()) {
            line("  without a lease they are answered with 428");
        }
        line("  on %s", targetsOf(rule.ofCallers(0)));
        if (rule.fence() != null) {
            line("  claimed on %s before the handler runs", rule.fence());
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
