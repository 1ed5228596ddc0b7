/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

/** What a statement does, as far as its text tells. Where the text leaves a doubt, it is the kind that is fenced more strictly. */
public enum StatementKind {
    /** Nothing but blanks, comments and semicolons. */
    EMPTY,
    /** Touches no data: settings, {@code LISTEN}, {@code PREPARE} of a plan, {@code CLOSE}, {@code DISCARD}. */
    HARMLESS,
    /** A {@code SELECT} of literals alone; it takes a snapshot all the same. */
    LITERAL_SELECT,
    /** Reads the system catalogs alone, as drivers do for their metadata. */
    CATALOG,
    /** Reads, or locks rows or tables. */
    READ,
    /** {@code DECLARE} of a cursor that ends with the transaction. */
    CURSOR,
    /** {@code FETCH} or {@code MOVE}. */
    FETCH,
    /** {@code COPY … TO STDOUT}: the connection is busy until its data was read. */
    COPY_OUT,
    /** Changes data, or may: everything that is not known. */
    WRITE,
    /** {@code CALL} or {@code DO}: may change data and, outside a transaction, commit inside. */
    ROUTINE,
    /** {@code COPY … FROM STDIN}: the connection is busy until its data was sent. */
    COPY_IN,
    /** Changes no rows; most of its kind cannot run in a transaction. */
    MAINTENANCE,
    /** Opens a transaction; settings may follow it in the same text. */
    BEGIN,
    /** Ends the transaction. */
    COMMIT,
    /** Ends the transaction and opens another. */
    COMMIT_AND_CHAIN,
    /** Gives the transaction up, {@code AND CHAIN} included. */
    ROLLBACK,
    /** Back to a savepoint: a guard or claim that came after it is undone. */
    ROLLBACK_TO,
    /** Sets a savepoint. */
    SAVEPOINT,
    /** Forgets a savepoint. */
    RELEASE,
    /** The first phase of a two-phase commit. */
    PREPARE_TRANSACTION,
    /** The second phase of a two-phase commit. */
    COMMIT_PREPARED,
    /** Several statements, and some of them begin or end transactions or set savepoints. */
    MIXED;

    /** Whether it sees or changes the service's data, so that the fence must be claimed before it is sent. */
    public boolean accesses() {
        return switch (this) {
            case READ, CURSOR, FETCH, COPY_OUT, WRITE, ROUTINE, COPY_IN, MIXED -> true;
            default -> false;
        };
    }

    /** Whether it may change data, so that a guard must stand between it and its commit. */
    public boolean writes() {
        return switch (this) {
            case WRITE, ROUTINE, COPY_IN, MIXED -> true;
            default -> false;
        };
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
