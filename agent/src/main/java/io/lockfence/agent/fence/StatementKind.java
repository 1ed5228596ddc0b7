/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

/** What a statement asks of the fence, as a scan of its keywords tells (DESIGN P3, P4). What is not known is a {@link #WRITE}. */
public enum StatementKind {
    /** Nothing but comments and blanks. */
    EMPTY(false, false),
    /** Touches no data: SET, SHOW, RESET, and the like. */
    HARMLESS(false, false),
    /** Begins a transaction. */
    BEGIN(false, false),
    /** Sets a savepoint. */
    SAVEPOINT(false, false),
    /** Gives a savepoint up. */
    RELEASE(false, false),
    /** Changes no rows and cannot run in a transaction: VACUUM, CREATE INDEX CONCURRENTLY, and the like. */
    MAINTENANCE(false, false),
    /** A SELECT of literals alone: reads nothing, but takes the snapshot of its transaction. */
    LITERAL_SELECT(true, false),
    /** Reads the catalog alone, as drivers do for their metadata. */
    CATALOG(true, false),
    /** A plain read. */
    READ(true, false),
    /** Everything that changes something, or might. */
    WRITE(true, true),
    /** Commits the transaction; END as well. */
    COMMIT(false, false),
    /** Commits, and begins the next one. */
    COMMIT_AND_CHAIN(false, false),
    /** Rolls the whole transaction back; ABORT, and AND CHAIN, as well. */
    ROLLBACK(false, false),
    /** Rolls back to a savepoint. */
    ROLLBACK_TO(false, false),
    /** The first half of a two-phase commit. */
    PREPARE_TRANSACTION(false, false),
    /** The second half of a two-phase commit, or its rollback. */
    COMMIT_PREPARED(false, false),
    /** Several statements with transaction control among them: no guard can be put between them. */
    MIXED(true, true);

    private final boolean accesses;
    private final boolean writes;

    StatementKind(boolean accesses, boolean writes) {
        this.accesses = accesses;
        this.writes = writes;
    }

    /** Whether it needs the claims of its leases. */
    public boolean accesses() {
        return accesses;
    }

    /** Whether it is anything but a plain read. */
    public boolean writes() {
        return writes;
    }

    /** Whether it begins, ends or divides a transaction. */
    public boolean controls() {
        return switch (this) {
            case BEGIN,
                    SAVEPOINT,
                    RELEASE,
                    COMMIT,
                    COMMIT_AND_CHAIN,
                    ROLLBACK,
                    ROLLBACK_TO,
                    PREPARE_TRANSACTION,
                    COMMIT_PREPARED,
                    MIXED -> true;
            default -> false;
        };
    }

    /** The kind of both, sent together: the one that asks more, or {@link #MIXED} where one of them controls the transaction. */
    public StatementKind with(StatementKind other) {
        if (this == EMPTY || this == other) {
            return other;
        }
        if (other == EMPTY) {
            return this;
        }
        if (controls() || other.controls()) {
            return MIXED;
        }
        return other.ordinal() > ordinal() ? other : this;
    }
}
