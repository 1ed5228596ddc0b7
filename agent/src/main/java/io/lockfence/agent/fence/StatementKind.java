/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

/** What a statement does, as far as its text tells. Where the text leaves a doubt, it is the kind that is fenced more strictly. */
public enum StatementKind {
    /** Nothing but blanks, comments and semicolons. */
    EMPTY(Effect.NONE),
    /** Touches no data: settings, {@code LISTEN}, {@code PREPARE} of a plan, {@code CLOSE}, {@code DISCARD}. */
    HARMLESS(Effect.NONE),
    /** A {@code SELECT} of literals alone; it takes a snapshot all the same. */
    LITERAL_SELECT(Effect.NONE),
    /** Reads the system catalogs alone, as drivers do for their metadata. */
    CATALOG(Effect.NONE),
    /** Reads, or locks rows or tables. */
    READ(Effect.READS),
    /** {@code DECLARE} of a cursor that ends with the transaction. */
    CURSOR(Effect.READS),
    /** {@code FETCH} or {@code MOVE}. */
    FETCH(Effect.READS),
    /** {@code COPY … TO STDOUT}: the connection is busy until its data was read. */
    COPY_OUT(Effect.READS),
    /** Changes data, or may: everything that is not known. */
    WRITE(Effect.WRITES),
    /** {@code CALL} or {@code DO}: may change data and, outside a transaction, commit inside. */
    ROUTINE(Effect.WRITES),
    /** {@code COPY … FROM STDIN}: the connection is busy until its data was sent. */
    COPY_IN(Effect.WRITES),
    /** Changes no rows; most of its kind cannot run in a transaction. */
    MAINTENANCE(Effect.NONE),
    /** Opens a transaction; settings may follow it in the same text. */
    BEGIN(Effect.NONE),
    /** Ends the transaction. */
    COMMIT(Effect.NONE),
    /** Ends the transaction and opens another. */
    COMMIT_AND_CHAIN(Effect.NONE),
    /** Gives the transaction up, {@code AND CHAIN} included. */
    ROLLBACK(Effect.NONE),
    /** Back to a savepoint: a guard or claim that came after it is undone. */
    ROLLBACK_TO(Effect.NONE),
    /** Sets a savepoint. */
    SAVEPOINT(Effect.NONE),
    /** Forgets a savepoint. */
    RELEASE(Effect.NONE),
    /** The first phase of a two-phase commit. */
    PREPARE_TRANSACTION(Effect.NONE),
    /** The second phase of a two-phase commit. */
    COMMIT_PREPARED(Effect.NONE),
    /** Several statements, and some of them begin or end transactions or set savepoints. */
    MIXED(Effect.WRITES);

    private enum Effect {
        NONE,
        READS,
        WRITES
    }

    // Fields, since they are asked with every statement under a lease.
    private final boolean accesses;
    private final boolean writes;

    StatementKind(Effect effect) {
        accesses = effect != Effect.NONE;
        writes = effect == Effect.WRITES;
    }

    /** Whether it sees or changes the service's data, so that the fence must be claimed before it is sent. */
    public boolean accesses() {
        return accesses;
    }

    /** Whether it may change data, so that a guard must stand between it and its commit. */
    public boolean writes() {
        return writes;
    }

    /** Whether it begins or ends a transaction or a part of one. */
    public boolean controlsTransaction() {
        return switch (this) {
            case BEGIN,
                    COMMIT,
                    COMMIT_AND_CHAIN,
                    ROLLBACK,
                    ROLLBACK_TO,
                    SAVEPOINT,
                    RELEASE,
                    PREPARE_TRANSACTION,
                    COMMIT_PREPARED,
                    MIXED -> true;
            default -> false;
        };
    }

    /** The kind of both together, this one first, in one text or one message. */
    public StatementKind with(StatementKind next) {
        if (this == BEGIN && next == HARMLESS) {
            return BEGIN;
        } else if (controlsTransaction() || next.controlsTransaction()) {
            return MIXED;
        } else if (this == next && compareTo(FETCH) <= 0) {
            return this;
        }
        StatementKind stricter = compareTo(next) > 0 ? this : next;
        // Not what it is alone: in one text, a routine cannot commit and maintenance cannot run, and a COPY may be
        // followed by a change.
        return stricter.compareTo(READ) <= 0 ? stricter : stricter.compareTo(FETCH) <= 0 ? READ : WRITE;
    }
}
