/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.ClaimAt;
import io.lockfence.agent.config.Ends;
import io.lockfence.agent.config.LeaseScope;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Propagation;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Proof;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The leases of this JVM, by owner: where they begin, are kept by re-entry, and end (DESIGN §2.1). Thread safe. */
public final class Leases implements LeaseEvents {
    /** Rules are looked up by lock name; a service may make up names without end. */
    private static final int KNOWN_LOCKS = 10_000;

    private static final long SWEEP_MILLIS = 5_000;

    private record LockName(String library, String lock) {}

    private volatile Rules rules;
    private final Report report;
    private final Claims claims;
    private final GuardAtRelease guardAtRelease;
    private final Outlived outlived;
    /** By the rules of now: another map with other rules. */
    private volatile Map<LockName, Optional<LockRule>> ruleOf = new ConcurrentHashMap<>();

    /** Classes that the part {@code propagate} of the rules of now leaves out. */
    private volatile ClassValue<Boolean> excluded;

    private final Map<String, FencedLease> byOwner = new ConcurrentHashMap<>();
    /** The newest of each lock whose leases cover the process. */
    private final Map<LockName, FencedLease> ofProcess = new ConcurrentHashMap<>();

    private final AtomicBoolean sweeping = new AtomicBoolean();

    private final Runnable alsoSweep;

    /** @param alsoSweep called every few seconds, once leases have been taken */
    Leases(
            Rules rules,
            Report report,
            Claims claims,
            GuardAtRelease guardAtRelease,
            Outlived outlived,
            Runnable alsoSweep) {
        this.alsoSweep = alsoSweep;
        this.rules = rules;
        this.excluded = excluded(rules);
        this.report = report;
        this.claims = claims;
        this.guardAtRelease = guardAtRelease;
        this.outlived = outlived;
    }

    @Override
    public boolean watches(String library, String lock) {
        return rule(library, lock).isPresent();
    }

    @Override
    public boolean asks(String library, String lock) {
        return rule(library, lock).filter(rule -> rule.mode() != Mode.OBSERVE).isPresent();
    }

    private Optional<LockRule> rule(String library, String lock) {
        LockName name = new LockName(library, lock);
        Map<LockName, Optional<LockRule>> ofNow = ruleOf;
        Optional<LockRule> known = ofNow.get(name);
        if (known == null) {
            known = rules.lockRule(library, lock).filter(rule -> rule.mode() != Mode.OFF);
            if (ofNow.size() >= KNOWN_LOCKS) {
                ofNow.clear();
            }
            ofNow.put(name, known);
        }
        return known;
    }

    /**
     * Other rules from now on. Living leases keep those that they were taken under, but for a mode that is lower now: where nothing is to be refused any more,
     * nothing is, at once.
     */
    void change(Rules next) {
        rules = next;
        excluded = excluded(next);
        ruleOf = new ConcurrentHashMap<>();
        for (FencedLease newest : byOwner.values()) {
            for (FencedLease lease : chain(newest)) {
                lower(lease);
            }
        }
    }

    private void lower(FencedLease lease) {
        Mode now =
                rule(lease.rule().library(), lease.lock()).map(LockRule::mode).orElse(Mode.OBSERVE);
        lease.lower(now);
    }

    @Override
    public boolean inherits(Class<?> executor, Class<?> factory, Class<?> task) {
        ClassValue<Boolean> ofNow = excluded;
        return !(executor != null && ofNow.get(executor) || factory != null && ofNow.get(factory) || ofNow.get(task));
    }

    private static ClassValue<Boolean> excluded(Rules rules) {
        Propagation propagation = rules.propagation();
        return new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> type) {
                return propagation.excludes(type.getName());
            }
        };
    }

    @Override
    public boolean claimsAtAcquire(String library, String lock) {
        return rule(library, lock)
                .filter(rule -> rule.mode() != Mode.OBSERVE && rule.claim() == ClaimAt.ACQUIRE)
                .isPresent();
    }

    @Override
    public boolean coversProcess(String library, String lock) {
        return rule(library, lock)
                .filter(rule -> rule.origin().scope() == LeaseScope.PROCESS)
                .isPresent();
    }

    @Override
    public void degraded(String library, String why) {
        report.degraded(library, why);
    }

    @Override
    public void unknown(String library, String lock, String owner) {
        report.unknownHold(lock, owner);
    }

    @Override
    public void unsupported(String library, String type, String lock) {
        report.unsupportedLock(library, type, lock);
    }

    @Override
    public Lease acquired(Acquisition acquisition) {
        Map<LockName, Optional<LockRule>> before = ruleOf;
        LockRule rule = rule(acquisition.library(), acquisition.lock()).orElse(null);
        if (rule == null) {
            return null;
        }
        FencedLease lease = byOwner.compute(
                acquisition.owner(),
                (owner, held) -> held == null ? begin(rule, acquisition) : again(rule, acquisition, held));
        if (ruleOf != before) {
            // Whoever changed them may not have met this lease.
            lower(lease);
        }
        if (lease.ofProcess()) {
            covers(new LockName(acquisition.library(), acquisition.lock()), lease);
        } else {
            attach(lease, acquisition.context());
        }
        if (rule.claim() == ClaimAt.ACQUIRE
                && lease.mode() != Mode.OBSERVE
                && lease.claims().isEmpty()
                && lease.death() == null) {
            claims.atAcquire(lease);
        }
        sweep();
        return lease;
    }

    /** The owner took a lock that we believe it holds: it entered once more, or had lost it. */
    private FencedLease again(LockRule rule, Acquisition acquisition, FencedLease held) {
        Proof proof = acquisition.proof();
        if (proof == null || !proof.held()) {
            // Whether the hold is the same cannot be told, so neither can whether the lease may go on.
            held.die(
                    proof == null ? Lease.Death.UNUSABLE : Lease.Death.LOST,
                    proof == null ? acquisition.failure() : "the coordinator says that its owner holds nothing");
            return inPlaceOf(held, begin(rule, acquisition));
        }
        if (proof.holdCount() > 1) {
            held.holds(proof.holdCount());
            reset(held, proof);
            return held;
        }
        held.die(Lease.Death.LOST, "its owner has taken the lock again, and the coordinator gave it a new hold");
        return inPlaceOf(held, begin(rule, acquisition));
    }

    /** What was read under the lease of before may be stale: it stays on its thread, unless it gives place. */
    private FencedLease inPlaceOf(FencedLease held, FencedLease fresh) {
        if (held.givesPlace()) {
            forget(held);
            fresh.earlier(held.earlier());
        } else {
            fresh.earlier(held);
        }
        return fresh;
    }

    private FencedLease begin(LockRule rule, Acquisition acquisition) {
        Proof proof = acquisition.proof();
        long now = System.nanoTime();
        FencedLease lease = new FencedLease(
                rule,
                acquisition.lock(),
                rule.resourceOf(acquisition.lock()).map(ResourceName::fit).orElseThrow(),
                UUID.randomUUID().toString().replace("-", ""),
                acquisition.owner(),
                proof == null ? 0 : proof.token(),
                proof == null ? new Deadline(now, 0) : new Deadline(proof.sentAt(), proof.timeLeftNanos()),
                acquisition.coordinator(),
                acquisition.explicitLease(),
                report,
                0);
        if (proof == null) {
            lease.die(Lease.Death.UNUSABLE, acquisition.failure());
        } else if (!proof.held()) {
            String why = acquisition.failure();
            lease.die(Lease.Death.LOST, why == null ? "it was gone when its token was asked for" : why);
        } else {
            lease.holds(proof.holdCount());
        }
        LeaseContext.activate();
        report.leaseAcquired(lease, acquisition);
        return lease;
    }

    /** One term follows another: an earlier lease that nobody released was in the way of the work of its own term only. */
    private void covers(LockName lock, FencedLease lease) {
        LeaseContext.attachEverywhere(lease);
        FencedLease before = ofProcess.put(lock, lease);
        if (before != null && before != lease) {
            before.die(Lease.Death.LOST, "the process has taken the lock anew");
            end(before);
        }
    }

    private static void attach(FencedLease lease, LeaseContext context) {
        if (context == null) {
            return;
        }
        if (context.attach(lease)) {
            lease.contexts().add(context);
        }
    }

    /** The coordinator said how much time is left, whether more than before or less. */
    private static void reset(FencedLease lease, Proof proof) {
        if (Deadline.end(proof.sentAt(), proof.timeLeftNanos())
                        - lease.deadline().at()
                < 0) {
            lease.deadline().shorten(proof.sentAt(), proof.timeLeftNanos());
        } else {
            lease.deadline().extend(proof.sentAt(), proof.timeLeftNanos());
        }
    }

    @Override
    public void renewed(String owner, long sentAt, long grantedNanos) {
        FencedLease lease = byOwner.get(owner);
        if (lease != null && lease.death() == null) {
            lease.renewed();
            lease.deadline().extend(sentAt, grantedNanos);
            report.leaseRenewed(lease);
        }
    }

    @Override
    public void confirmed(String owner, long sentAt, long believedNanos) {
        FencedLease lease = byOwner.get(owner);
        if (lease != null && lease.death() == null) {
            lease.verified(sentAt);
            lease.deadline().extend(sentAt, believedNanos);
        }
    }

    @Override
    public void shortened(String owner, long sentAt, long grantedNanos) {
        FencedLease lease = byOwner.get(owner);
        if (lease != null) {
            lease.deadline().shorten(sentAt, grantedNanos);
            report.leaseShortened(lease);
        }
    }

    @Override
    public void lost(String owner, String why) {
        FencedLease lease = byOwner.get(owner);
        if (lease != null) {
            lease.die(Lease.Death.LOST, why);
        }
    }

    @Override
    public void told(String owner) {
        for (FencedLease lease = byOwner.get(owner); lease != null; lease = lease.earlier()) {
            lease.die(Lease.Death.LOST, "the coordinator said so when the service asked");
            lease.told();
        }
    }

    @Override
    public void followed(String owner) {
        FencedLease lease = byOwner.get(owner);
        if (lease != null && maySkipUnlock(lease)) {
            report.leftOver(new Lease[] {lease}, "a lock that was taken anew");
            end(lease);
        }
    }

    @Override
    public boolean releasing(String owner) {
        FencedLease lease = byOwner.get(owner);
        if (lease == null || !lease.leave()) {
            return false;
        }
        guardAtRelease.run(lease);
        lease.release();
        outlived.released(lease);
        end(lease);
        report.leaseReleased(lease);
        return true;
    }

    @Override
    public void leftOver(Lease[] leases, String place) {
        report.leftOver(leases, place);
        for (Lease left : leases) {
            FencedLease lease = (FencedLease) left;
            lease.contexts().clear();
            if (lease.death() != null) {
                end(lease);
            }
        }
    }

    @Override
    public void taskEnded(LeaseContext context) {
        for (Lease left : context.leases()) {
            FencedLease lease = (FencedLease) left;
            if (lease.ofProcess()) {
                continue;
            }
            if (maySkipUnlock(lease)) {
                report.leftOver(new Lease[] {lease}, "a task that ended");
                end(lease);
            }
        }
    }

    /** Whoever was told that a lock is lost may rightly skip the unlock; so may whoever took it for a time. */
    private static boolean maySkipUnlock(FencedLease lease) {
        return (lease.ranOut() || lease.wasTold()) && lease.rule().ends() == Ends.DEADLINE;
    }

    /** Takes the lease off its threads and out of the books; transactions that it is on the list of keep it. */
    private void end(FencedLease lease) {
        byOwner.computeIfPresent(lease.owner(), (owner, newest) -> {
            if (newest == lease) {
                forget(lease);
                return lease.earlier();
            }
            for (FencedLease later = newest; later.earlier() != null; later = later.earlier()) {
                if (later.earlier() == lease) {
                    forget(lease);
                    later.earlier(lease.earlier());
                    break;
                }
            }
            return newest;
        });
    }

    private void forget(FencedLease lease) {
        if (lease.ofProcess()) {
            LeaseContext.detachEverywhere(lease);
            ofProcess.values().remove(lease);
        }
        for (LeaseContext context : lease.contexts()) {
            context.detach(lease);
        }
        lease.contexts().clear();
        LeaseContext.deactivate();
    }

    /** How many leases have neither been released nor forgotten. */
    public int live() {
        int live = 0;
        for (FencedLease newest : byOwner.values()) {
            for (FencedLease lease = newest; lease != null; lease = lease.earlier()) {
                live++;
            }
        }
        return live;
    }

    /** Forgets dead leases that no living thread could still send anything under. */
    void sweep() {
        if (sweeping.get() || !sweeping.compareAndSet(false, true)) {
            return;
        }
        Thread sweeper = new Thread(null, this::sweepLoop, "lockfence-leases", 0, false);
        sweeper.setDaemon(true);
        sweeper.setContextClassLoader(null);
        sweeper.start();
    }

    private void sweepLoop() {
        while (true) {
            try {
                Thread.sleep(SWEEP_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
            try {
                sweepOnce();
                alsoSweep.run();
            } catch (RuntimeException e) {
                report.fault(e);
            }
        }
    }

    private void sweepOnce() {
        for (FencedLease newest : byOwner.values()) {
            for (FencedLease lease : chain(newest)) {
                lease.contexts().removeIf(LeaseContext::abandoned);
                // A lease that was born dead is on no thread for a moment.
                if (!lease.ofProcess()
                        && lease.contexts().isEmpty()
                        && lease.death() != null
                        && lease.age() > SWEEP_MILLIS * 1_000_000L) {
                    end(lease);
                }
            }
        }
    }

    private static List<FencedLease> chain(FencedLease newest) {
        List<FencedLease> chain = new ArrayList<>();
        for (FencedLease lease = newest; lease != null; lease = lease.earlier()) {
            chain.add(lease);
        }
        return chain;
    }
}
