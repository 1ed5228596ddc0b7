/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Refusal;

/** The case that led to a refusal: finer than its kind, since what to do differs. */
public enum Reason {
    /** A newer lease has claimed the fence. */
    SUPERSEDED(Refusal.STALE),
    /** At the lease's first claim the fence was ahead, and the coordinator did not confirm the hold with a higher token. */
    AHEAD(Refusal.STALE),
    /** A database opened later than the lease's first access is ahead of its token. */
    AHEAD_LATER(Refusal.STALE),
    /** The fence is ahead of a caller's token. */
    CALLER_BEHIND(Refusal.STALE),
    /** An instance whose rules have a higher generation has claimed the fence. */
    OLD_GENERATION(Refusal.STALE),
    /** The lease is past its deadline. */
    DEADLINE(Refusal.EXPIRED),
    /** The coordinator said that the lease is lost. */
    LOST(Refusal.EXPIRED),
    /** The transaction idled too long after a guard at release, and the database ended it. */
    IDLE_KILLED(Refusal.EXPIRED),
    /** A write under no lease to a target whose rule rejects that. */
    NO_LEASE(Refusal.UNLEASED),
    /** A call by work that goes on after its lease was given back, to a target whose rule rejects that. */
    RELEASED(Refusal.UNLEASED),
    /** The database has no fence table, or not its routines. */
    NO_FENCE(Refusal.UNKNOWN),
    /** The database user may not use the fence. */
    NO_RIGHTS(Refusal.UNKNOWN),
    /** The database could not be asked. */
    DATABASE_FAILED(Refusal.UNKNOWN),
    /** The database cannot be written to: a standby. */
    STANDBY(Refusal.UNKNOWN),
    /** The claim waited too long for another transaction. */
    CLAIM_WAITED(Refusal.UNKNOWN),
    /** No token could be minted. */
    NO_TOKEN(Refusal.UNKNOWN),
    /** The coordinator grants the lock for no time that is known, and could not be asked whether it still holds. */
    NOT_VERIFIED(Refusal.UNKNOWN),
    /** The lock's library is not woven as it should be, or this type of lock is not supported. */
    INACTIVE(Refusal.UNKNOWN),
    /** Methods of the target are not woven: other calls of them pass unseen. */
    NOT_WOVEN(Refusal.UNKNOWN),
    /** A caller's token is so far ahead that it may be forged. */
    LEAP(Refusal.UNKNOWN),
    /** Lockfence's own books on the lease failed. */
    BOOKS(Refusal.UNKNOWN),
    /** The coordinator issued the token twice. */
    TOKEN_TWICE(Refusal.DUPLICATE_TOKEN),
    /** The resource belongs to another lock. */
    OTHER_LOCK(Refusal.OTHER_LOCK),
    /** The fence holds less than was claimed. */
    CLAIM_LOST(Refusal.CLAIM_LOST),
    /** The transaction's snapshot is older than the lease's claim. */
    OLD_SNAPSHOT(Refusal.UNGUARDABLE),
    /** The claim or guard would wait for another transaction of the same thread. */
    OWN_TRANSACTION(Refusal.UNGUARDABLE),
    /** A way to write that no guard can follow. */
    PATH(Refusal.UNGUARDABLE);

    private final Refusal kind;

    Reason(Refusal kind) {
        this.kind = kind;
    }

    /** What the service sees. */
    public Refusal kind() {
        return kind;
    }
}
