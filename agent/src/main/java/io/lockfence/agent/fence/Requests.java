/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.AfterRelease;
import io.lockfence.agent.config.HttpDestination;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.http.FencingToken;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Seams;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Requests to services that rules name: each carries the tokens of its leases, so that the receiver can claim and guard with them, and is refused before it leaves
 * if one of them is dead (DESIGN P5). A request is an access like any other: before it the lease's databases are claimed (P3). Thread safe.
 */
final class Requests {
    private volatile Rules rules;
    private final Report report;
    private final Claims claims;
    private final Unleasing unleasing;
    private final Outlived outlived;
    private volatile boolean anyTarget;
    private volatile boolean watchesUnleased;

    Requests(Rules rules, Report report, Claims claims, Unleasing unleasing, Outlived outlived) {
        this.report = report;
        this.claims = claims;
        this.unleasing = unleasing;
        this.outlived = outlived;
        change(rules);
    }

    /** Other rules from now on. */
    void change(Rules next) {
        rules = next;
        boolean any = false;
        boolean unleased = false;
        for (TargetRule target : next.targets()) {
            if (target.destination() instanceof HttpDestination) {
                any = true;
                unleased |= target.unleased() != Unleased.ALLOW;
            }
        }
        anyTarget = any;
        watchesUnleased = unleased;
    }

    /** Whether a request under these leases could matter. Under none only where rules look at that. */
    boolean concerned(Lease[] under, boolean anyInactive) {
        return anyTarget && (under.length > 0 || watchesUnleased || anyInactive || outlived.any());
    }

    /** What a request of the current thread is sent under: its leases, or what its work has outlived. */
    Lease[] carried(Lease[] under) {
        return under.length > 0 || !outlived.any() ? under : new Lease[] {outlived.here()};
    }

    /** The header's value for one attempt of a request, or null; throws if it must not be sent. */
    String requesting(Lease[] under, String method, String url) {
        TargetRule target = null;
        try {
            target = rules.httpTarget(url).orElse(null);
            return target == null ? null : admit(target, under, method);
        } catch (RefusedException e) {
            report.refusal(e.refused());
            Admissions.note(e.refused());
            throw e.refused().exception();
        } catch (Throwable t) {
            return failedOn(target, under, method, t);
        }
    }

    private String admit(TargetRule target, Lease[] under, String method) throws RefusedException {
        HttpDestination services = (HttpDestination) target.destination();
        boolean refusable = services.methods().contains(method);
        boolean leased = false;
        FencedLease before = under.length == 1 && under[0] instanceof Outlived.Work work ? work.of(target) : null;
        FencedLease carried = null;
        Map<String, FencedLease> several = null;
        for (Lease lease : under) {
            if (!(lease instanceof FencedLease fenced) || !fenced.protects(target)) {
                continue;
            }
            if (lease.released() && services.afterRelease() == AfterRelease.ALLOW) {
                continue;
            }
            if (lease.released() && services.afterRelease() == AfterRelease.REJECT) {
                // A request that may pass all the same is carried: what it reads is judged.
                before = fenced;
                if (refusable && fenced.enforced()) {
                    continue;
                }
            }
            leased = true;
            Refused refused = refused(fenced, target, refusable);
            if (refused != null && (refusable || fenced.token() == 0)) {
                refuse(fenced, refused);
            }
            if (lease.released() && fenced.firstTold(target.name(), Reason.RELEASED)) {
                report.late("request", fenced, target.name());
            }
            if (fenced.mode() != Mode.OBSERVE && fenced.token() > 0) {
                if (carried == null) {
                    carried = fenced;
                } else {
                    if (several == null) {
                        several = new LinkedHashMap<>();
                        several.put(carried.resource(), carried);
                    }
                    FencedLease older = several.put(fenced.resource(), fenced);
                    if (older != null && refusable) {
                        // No header tells of both, and the receiver's fence would go to the newer one.
                        boolean again = older.lock().equals(fenced.lock());
                        refuse(
                                older,
                                Refused.under(again ? Reason.SUPERSEDED : Reason.OTHER_LOCK, older)
                                        .of("request", target.name()));
                    }
                }
            }
        }
        if (refusable && leased && before != null) {
            refuse(before, Refused.under(Reason.RELEASED, before).of("request", target.name()));
        } else if (refusable && !leased) {
            Runnable told = unleasing.admit(target, "request", before);
            if (told != null && (before == null || before.firstTold(target.name(), Reason.RELEASED))) {
                told.run();
            }
        }
        if (!leased) {
            return null;
        }
        if (several != null) {
            return header(several.values(), services, target);
        }
        return carried == null ? null : carried.headerItem(services.key()).text();
    }

    private void refuse(FencedLease lease, Refused refused) throws RefusedException {
        if (lease.enforced()) {
            throw new RefusedException(refused);
        }
        if (lease.firstTold(refused.target(), refused.reason())) {
            report.refusal(refused.inShadow());
        }
    }

    /** Null if the lease lets the request through. */
    private Refused refused(FencedLease lease, TargetRule target, boolean refusable) {
        if (lease.death() != null) {
            return lease.refusedDead().of("request", target.name());
        }
        if (lease.mode() == Mode.OBSERVE) {
            return null;
        }
        Refused unverified = refusable ? Verification.refused(lease) : null;
        if (unverified != null) {
            return unverified.of("request", target.name());
        }
        try {
            claims.beforeRequest(lease);
        } catch (RefusedException e) {
            return e.refused().of("request", target.name());
        }
        // The claims took their time.
        return lease.death() == null ? null : lease.refusedDead().of("request", target.name());
    }

    /** Null if there is no room for all, and nothing is enforced. */
    private String header(Collection<FencedLease> leases, HttpDestination services, TargetRule target)
            throws RefusedException {
        try {
            return FencingToken.write(leases.stream()
                    .map(lease -> lease.headerItem(services.key()).item())
                    .toList());
        } catch (IllegalArgumentException e) {
            for (FencedLease lease : leases) {
                refuse(
                        lease,
                        Refused.under(Reason.PATH, lease)
                                .of("request", target.name())
                                .because(e.getMessage()));
            }
            return null;
        }
    }

    /** A fault of ours: the leases are poisoned, and the request is refused under them; where there is none, the service goes on. */
    private String failedOn(TargetRule target, Lease[] under, String method, Throwable fault) {
        Seams.fault(fault);
        boolean refusable = target == null
                || ((HttpDestination) target.destination()).methods().contains(method);
        for (Lease lease : under) {
            if (lease instanceof FencedLease fenced && (target == null || fenced.protects(target))) {
                lease.die(Lease.Death.UNUSABLE, "Lockfence failed on it: " + fault);
                if (fenced.enforced() && refusable) {
                    Refused refused = Refused.under(Reason.BOOKS, lease)
                            .of("request", target == null ? null : target.name())
                            .because(String.valueOf(fault))
                            .causedBy(fault);
                    report.refusal(refused);
                    throw refused.exception();
                }
            }
        }
        return null;
    }
}
