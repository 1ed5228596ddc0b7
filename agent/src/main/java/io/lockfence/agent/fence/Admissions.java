/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.ReceiveRule;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.SigningKey;
import io.lockfence.agent.config.Trust;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.http.FencingToken;
import io.lockfence.agent.http.MalformedHeaderException;
import io.lockfence.agent.http.ProblemDocument;
import io.lockfence.agent.http.Signature;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Refusal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests that come in with leases of their callers: whether they are believed, what the fences here say of them, and what the caller is told. The service then
 * runs under the caller's leases, as if it had taken the locks itself. Thread safe.
 */
final class Admissions {
    private static final String STRANGE = "tokens are not accepted from this address";

    private volatile Rules rules;
    private final Report report;
    private final Claims claims;
    private final CallerLeases callers = new CallerLeases();
    private volatile Runnable sweeping = () -> {};
    /** By the names of rules. */
    private volatile Map<String, List<SigningKey>> keys = Map.of();
    /** Whether some target refuses what comes under no lease. */
    private volatile boolean rejectsUnleased;

    Admissions(Rules rules, Report report, Claims claims) {
        this.report = report;
        this.claims = claims;
        change(rules);
    }

    /** Other rules from now on. Requests that are under way keep theirs, but for a mode that is lower now. */
    void change(Rules next) {
        Map<String, List<SigningKey>> nextKeys = new HashMap<>();
        for (ReceiveRule rule : next.receive()) {
            if (rule.mode() == Mode.OFF) {
                continue;
            }
            nextKeys.put(
                    rule.name(),
                    rule.keys().stream()
                            .map(key -> SigningKey.of(key, System.getenv()))
                            .toList());
        }
        Map<CallerLeases.Key, FencedLease> before = callers.all();
        keys = nextKeys;
        rejectsUnleased = next.mode() == Mode.ENFORCE
                && next.targets().stream().anyMatch(target -> target.unleased() == Unleased.REJECT);
        rules = next;
        callers.clear();
        before.forEach((key, lease) -> lease.lower(next.receive().stream()
                .filter(rule -> rule.name().equals(key.rule().name()))
                .map(ReceiveRule::mode)
                .findFirst()
                .orElse(next.mode())));
    }

    /** @param sweep sees to it that what threads and connections have left is forgotten; called with each request, must be quick */
    void sweepWith(Runnable sweep) {
        sweeping = sweep;
    }

    /** Whether any rule could say something of a request. */
    boolean receives() {
        return !rules.receive().isEmpty();
    }

    /** What is to become of a request; null if no rule says anything of it. */
    Reception receiving(Incoming request) {
        Rules now = rules;
        ReceiveRule rule = null;
        try {
            rule = now.receiveRule(request.method(), request.path()).orElse(null);
            if (rule == null || rule.mode().compareTo(Mode.OBSERVE) < 0) {
                return null;
            }
            return receiving(request, rule);
        } catch (Throwable t) {
            // Whether the request was under a lease cannot be told any more.
            report.fault(t);
            boolean enforced = rule != null
                    ? rule.mode() == Mode.ENFORCE
                    : now.receive().stream().anyMatch(any -> any.mode() == Mode.ENFORCE);
            if (!enforced) {
                return null;
            }
            return new Admission(ProblemDocument.of(
                    Refusal.UNKNOWN,
                    null,
                    "Lockfence failed on this request, and cannot tell whether its lock still holds"));
        }
    }

    /** Whether a request that carries a token must not reach the service without {@link #receiving}. */
    boolean mustReceive(Incoming request) {
        Rules now = rules;
        try {
            return now.receiveRule(request.method(), request.path())
                    .filter(rule -> rule.mode() == Mode.ENFORCE && (rule.trust() != Trust.NONE || rule.require()))
                    .isPresent();
        } catch (Throwable t) {
            report.fault(t);
            return now.receive().stream().anyMatch(any -> any.mode() == Mode.ENFORCE);
        }
    }

    private Reception receiving(Incoming request, ReceiveRule rule) {
        List<String> lines = rule.trust() == Trust.NONE ? List.of() : request.header(Effects.HEADER);
        if (lines.isEmpty()) {
            return rule.require() ? withoutToken(rule) : unleased(rule);
        }
        List<FencingToken> tokens;
        try {
            tokens = FencingToken.parse(lines);
        } catch (MalformedHeaderException e) {
            return rejected(rule, "malformed", e.getMessage(), ProblemDocument.malformed(e.getMessage()));
        }
        String untrusted = whyUntrusted(rule, request, tokens);
        if (untrusted != null) {
            return rejected(rule, "untrusted", untrusted, ProblemDocument.untrusted(untrusted));
        }
        if (tokens.isEmpty()) {
            return rule.require() ? withoutToken(rule) : unleased(rule);
        }
        sweeping.run();
        FencedLease[] leases = new FencedLease[tokens.size()];
        for (int i = 0; i < leases.length; i++) {
            FencingToken token = tokens.get(i);
            FencedLease whole = callers.get(
                    new CallerLeases.Key(
                            rule, token.resource(), token.lock(), token.token(), token.generation(), token.leaseId()),
                    () -> lease(token, rule));
            leases[i] = whole.ofRequest();
        }
        report.received(rule.name());
        if (rule.mode() == Mode.OBSERVE) {
            return null;
        }
        return claim(rule, leases);
    }

    /** It may run; what a target refuses it, since it is under no lease, its caller is to be told. Null if nothing would be. */
    private Reception unleased(ReceiveRule rule) {
        return rejectsUnleased && rule.mode() == Mode.ENFORCE ? new Admission(new FencedLease[0]) : null;
    }

    /** Remembers a refusal with its lease, or with the request that it was made to under none, so that the request can be answered with the reason. */
    static void note(Refused refused) {
        FencedLease.note(refused);
        if (refused.lease() == null
                && !refused.shadow()
                && LeaseContext.currentReception() instanceof Admission request) {
            request.unleased = refused;
        }
    }

    private Reception withoutToken(ReceiveRule rule) {
        Refused refused = Refused.unleased(rule.name()).of("request", rule.name());
        if (rule.mode() != Mode.ENFORCE) {
            report.refusal(refused.inShadow());
            return null;
        }
        report.refusal(refused);
        return new Admission(answer(refused));
    }

    /** Null if the tokens are believed. */
    private String whyUntrusted(ReceiveRule rule, Incoming request, List<FencingToken> tokens) {
        return switch (rule.trust()) {
            case NONE -> null;
            case NETWORK -> comesFrom(rule, request) ? null : STRANGE;
            case SIGNED -> {
                if (!rule.from().isEmpty() && !comesFrom(rule, request)) {
                    yield STRANGE;
                }
                List<SigningKey> known = keys.getOrDefault(rule.name(), List.of());
                yield tokens.stream().allMatch(token -> Signature.verify(token, known))
                        ? null
                        : "a token is not signed with a key that is accepted here";
            }
        };
    }

    private static boolean comesFrom(ReceiveRule rule, Incoming request) {
        return rule.from().stream().anyMatch(network -> network.contains(request.peer()));
    }

    private Reception rejected(ReceiveRule rule, String kind, String why, Answer answer) {
        boolean enforced = rule.mode() == Mode.ENFORCE;
        report.rejected(rule.name(), kind, why, enforced);
        return enforced ? new Admission(answer) : null;
    }

    private FencedLease lease(FencingToken token, ReceiveRule rule) {
        return new FencedLease(
                rule.ofCallers(token.generation()),
                token.lock(),
                token.resource(),
                token.leaseId(),
                "caller " + token.leaseId(),
                token.token(),
                // When the caller's lease ends is the caller's to know; here the fence decides.
                new Deadline(System.nanoTime(), Long.MAX_VALUE),
                null,
                false,
                report,
                rule.leap());
    }

    private Reception claim(ReceiveRule rule, FencedLease[] leases) {
        for (FencedLease lease : leases) {
            try {
                claims.ofCaller(lease, rule.fence());
            } catch (RefusedException e) {
                Refused refused = e.refused().of("request", rule.name());
                if (refused.reason() == Reason.LEAP) {
                    report.rejected(rule.name(), "leap", refused.detail(), lease.enforced());
                }
                if (lease.enforced()) {
                    report.refusal(refused);
                    return new Admission(answer(refused));
                }
                if (lease.firstTold(rule.name(), refused.reason())) {
                    report.refusal(refused.inShadow());
                }
            }
        }
        return new Admission(leases);
    }

    private static Answer answer(Refused refused) {
        return refused.reason() == Reason.LEAP
                ? ProblemDocument.untrusted(refused.message())
                : ProblemDocument.of(refused.kind(), refused.resource(), refused.message());
    }

    /** One request. */
    private static final class Admission extends Reception {
        private final Answer answer;
        private final FencedLease[] leases;
        /** What was refused last in one of its turns, since it came under no lease that protects. */
        private volatile Refused unleased;

        Admission(FencedLease[] leases) {
            this.answer = null;
            this.leases = leases;
        }

        Admission(Answer answer) {
            this.answer = answer;
            this.leases = new FencedLease[0];
        }

        @Override
        public Answer answer() {
            return answer;
        }

        @Override
        public Lease[] leases() {
            return leases;
        }

        @Override
        public boolean enforced() {
            return Arrays.stream(leases).anyMatch(FencedLease::enforced);
        }

        @Override
        public Answer instead(int status) {
            if (status < 500) {
                return null;
            }
            for (FencedLease lease : leases) {
                Refused refused = lease.noted();
                if (refused != null) {
                    return Admissions.answer(refused);
                }
            }
            Refused refused = unleased;
            return refused == null ? null : Admissions.answer(refused);
        }
    }
}
