/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.CallerLocks;
import io.lockfence.agent.config.Ends;
import io.lockfence.agent.config.LeaseScope;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.SigningKey;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.http.FencingToken;
import io.lockfence.agent.http.Signature;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** A lease with its rule and what it has done so far: where it is claimed, and which open transactions are under it. */
final class FencedLease extends Lease {
    private final LockRule rule;
    private final Coordinator coordinator;
    private final boolean explicitLease;
    private final boolean protectsAll;
    private final Report report;
    private final Map<Database, Claim> claims;
    private final Set<Transaction> transactions = ConcurrentHashMap.newKeySet();
    private final Set<LeaseContext> contexts = ConcurrentHashMap.newKeySet();
    private final ReentrantLock claiming;
    private volatile String claimId;
    private int attempts;
    /** The least that was asked for since it began. */
    private volatile Mode mode;

    private final long leap;
    /** Whether something was sent under it that no claim here was made for: its token can no more be raised. */
    private volatile boolean accessed;

    /** The last refusal under it. */
    private volatile Refused noted;

    private volatile HeaderItem headerItem;
    private final Set<String> told;
    /** The lease that this one is for one request of; null if it is none of a caller, or is that itself. */
    private final FencedLease whole;

    /** Its item of the header, as long as nothing changes in it. */
    record HeaderItem(FencingToken item, String key, String text) {}

    private volatile long verifiedAt;
    private volatile boolean renewed;
    private volatile boolean toldLost;
    private volatile Refused verdict;
    private int holds = 1;
    /** The lease of the same owner that was lost and taken again; it stays on its thread until its own unlock. */
    private FencedLease earlier;

    /** @param leap how far its token may be ahead of what a fence knows; 0 for any distance, where the token is no stranger's word */
    FencedLease(
            LockRule rule,
            String lock,
            String resource,
            String leaseId,
            String owner,
            long token,
            Deadline deadline,
            Coordinator coordinator,
            boolean explicitLease,
            Report report,
            long leap) {
        super(lock, resource, leaseId, owner, rule.generation(), token, deadline);
        this.rule = rule;
        this.mode = rule.mode();
        this.protectsAll = rule.protects().isEmpty();
        this.coordinator = coordinator;
        this.explicitLease = explicitLease;
        this.report = report;
        this.claimId = leaseId;
        this.leap = leap;
        this.accessed = ofCaller();
        this.claims = new ConcurrentHashMap<>();
        this.claiming = new ReentrantLock();
        this.told = ConcurrentHashMap.newKeySet();
        this.whole = null;
        this.verifiedAt = System.nanoTime();
    }

    private FencedLease(FencedLease whole) {
        super(
                whole.lock(),
                whole.resource(),
                whole.leaseId(),
                whole.owner(),
                whole.generation(),
                whole.token(),
                whole.deadline());
        this.rule = whole.rule;
        this.mode = whole.mode;
        this.protectsAll = whole.protectsAll;
        this.coordinator = whole.coordinator;
        this.explicitLease = whole.explicitLease;
        this.report = whole.report;
        this.claimId = whole.claimId;
        this.leap = whole.leap;
        this.accessed = whole.accessed;
        this.claims = whole.claims;
        this.claiming = whole.claiming;
        this.told = whole.told;
        this.whole = whole;
    }

    /**
     * The lease of a caller as one of its requests has it: the claims are those of the lease, the refusals those of the request. What it dies of, the lease
     * dies of.
     */
    FencedLease ofRequest() {
        FencedLease request = new FencedLease(this);
        Death death = death();
        if (death != null) {
            request.verdict = verdict;
            request.die(death, deathCause());
        }
        return request;
    }

    LockRule rule() {
        return rule;
    }

    @Override
    public boolean ofProcess() {
        return rule.origin().scope() == LeaseScope.PROCESS;
    }

    @Override
    public boolean ofCaller() {
        return rule.origin() == CallerLocks.INSTANCE;
    }

    /** How far its token may be ahead of what a fence knows; 0 for any distance. */
    long leap() {
        return leap;
    }

    /** Whether it has accessed something beyond the databases that it has claimed: a caller's has, wherever it comes to. */
    boolean accessed() {
        return accessed;
    }

    /** It is about to. */
    void accesses() {
        accessed = true;
    }

    /** Remembers a refusal with its lease, so that a request under it can be answered with the reason. */
    static void note(Refused refused) {
        if (refused.lease() instanceof FencedLease lease && !refused.shadow()) {
            lease.noted = refused;
        }
    }

    /** What was refused last under it; null if nothing was. */
    Refused noted() {
        return noted;
    }

    /** Whether this is the first time that something is told of it that need not be told again. */
    boolean firstTold(String target, Reason reason) {
        return told.add(reason + " " + target);
    }

    /**
     * What a request carries of it.
     *
     * @param key the environment variable with the key that signs it; null for none
     */
    HeaderItem headerItem(String key) {
        if (whole != null) {
            return whole.headerItem(key);
        }
        HeaderItem known = headerItem;
        long token = token();
        String id = claimId;
        if (known == null
                || known.item().token() != token
                || !known.item().leaseId().equals(id)
                || !Objects.equals(known.key(), key)) {
            FencingToken item = new FencingToken(resource(), ResourceName.fit(lock()), token, generation(), id, null);
            if (key != null) {
                item = Signature.sign(item, SigningKey.of(key, System.getenv()));
            }
            known = new HeaderItem(item, key, FencingToken.write(List.of(item)));
            headerItem = known;
        }
        return known;
    }

    boolean protects(TargetRule target) {
        return protectsAll || rule.protects(target);
    }

    /**
     * That of its rule when it began, or less if that was lowered since. Never more than it was once: what it sent meanwhile was neither claimed for nor
     * listed, so that no later guard could vouch for it.
     */
    Mode mode() {
        return whole == null ? mode : whole.mode();
    }

    synchronized void lower(Mode to) {
        if (to.compareTo(mode) < 0) {
            mode = to;
        }
    }

    boolean enforced() {
        return mode() == Mode.ENFORCE;
    }

    Coordinator coordinator() {
        return coordinator;
    }

    /** Whether its token is none of the coordinator's: the claim issues it, to the first database, and the others share it. */
    boolean issuedByClaim() {
        return coordinator != null && !coordinator.mints();
    }

    /**
     * What fences know the lease by: its lease id, with more behind it where a claim that was to issue the token may still be on its way. That one would
     * take the fence back from whoever has claimed since, with a number above all others: it must find no lease that guards under its id.
     */
    String claimId() {
        return claimId;
    }

    /** What became of a claim that was to issue the token is not known: the next one is told apart from it. */
    void claimInDoubt() {
        attempts++;
        claimId = leaseId() + '-' + attempts;
    }

    /** A claim has issued the token, or found that an earlier attempt had. */
    void issued(FenceRow row) {
        claimId = row.leaseId();
        raise(row.token());
    }

    Map<Database, Claim> claims() {
        return claims;
    }

    /** The open transactions that have this lease on their list. */
    Set<Transaction> transactions() {
        return transactions;
    }

    /** The threads that this lease is on. */
    Set<LeaseContext> contexts() {
        return contexts;
    }

    /** Held while the lease is being claimed: its accesses on several threads make one claim. */
    ReentrantLock claiming() {
        return claiming;
    }

    /** Dies of a refusal that knows more than the cause of death: later refusals repeat it. */
    void die(Death how, Refused refused) {
        if (verdict == null) {
            verdict = refused;
        }
        die(how, refused.reason() + (refused.detail() == null ? "" : ": " + refused.detail()));
    }

    /** What to say of this lease, which is dead. */
    Refused refusedDead() {
        Refused known = verdict;
        return known == null ? Refused.dead(this) : known;
    }

    /** Whether it died before it was claimed anywhere, because it could not be: then not even reads pass. */
    boolean neverUsable() {
        return verdict != null && claims.isEmpty();
    }

    void renewed() {
        renewed = true;
    }

    /** Whether it had a lease time of its own that nothing renewed, and has died by it: the mark of a run-once marker. */
    boolean ranOut() {
        return explicitLease && !renewed && death() == Death.EXPIRED;
    }

    /** The coordinator has said that it holds, asked at that time. */
    void verified(long sentAt) {
        if (sentAt - verifiedAt > 0) {
            verifiedAt = sentAt;
        }
    }

    /** When the coordinator was asked last whose answer was that it holds; as {@link System#nanoTime()}. */
    long verifiedAt() {
        return whole == null ? verifiedAt : whole.verifiedAt();
    }

    /** Whether it had no token from the beginning, and nothing was read under it all the same. */
    private boolean nothingHappenedUnder() {
        return death() == Death.UNUSABLE && token() == 0 && !accessed && claims.isEmpty();
    }

    /** Whether a new hold of its owner takes its place, so that it does not stay on its thread until an unlock of its own (DESIGN P1). */
    boolean givesPlace() {
        return nothingHappenedUnder()
                || explicitLease && rule.ends() == Ends.DEADLINE && !(renewed && death() == Death.EXPIRED);
    }

    void told() {
        toldLost = true;
    }

    /** Whether the service itself asked and was told that the lock is lost, so that it may never unlock. */
    boolean wasTold() {
        return toldLost && death() != null;
    }

    boolean explicitLease() {
        return explicitLease;
    }

    synchronized void holds(int count) {
        holds = count;
    }

    /** One hold less; returns whether it was the last. */
    synchronized boolean leave() {
        holds--;
        return holds <= 0;
    }

    FencedLease earlier() {
        return earlier;
    }

    void earlier(FencedLease lost) {
        earlier = lost;
    }

    @Override
    public void joined(LeaseContext context) {
        contexts.add(context);
    }

    @Override
    protected void died(Death how, String why) {
        if (whole != null) {
            if (whole.verdict == null) {
                whole.verdict = verdict;
            }
            whole.die(how, why);
            return;
        }
        report.leaseDied(this, how, why);
    }
}
