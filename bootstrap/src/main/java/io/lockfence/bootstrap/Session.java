/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * One physical database connection, as the integration of its driver shows it to the agent.
 *
 * <p>Used by one thread at a time, like the connection; {@link #connection()} and {@link #closed()} by any thread.
 */
public abstract class Session {
    /** The agent's books on this connection: which leases its transaction is under. Owned by the agent. */
    public volatile Object books;

    /**
     * Set by the agent while it sends statements of its own on the service's connection: the integration then reports nothing of what
     * passes, but {@link Effects#closed}. Only touched by the thread that uses the connection.
     */
    public boolean ours;

    /** The driver's own {@code java.sql.Connection}, or null once the service has dropped it. */
    public abstract Object connection();

    /** Whether a transaction is open at the server, and has not failed. */
    public abstract boolean transactionOpen();

    /** Whether a transaction is open at the server in which a statement failed: only a rollback can end it. */
    public abstract boolean transactionFailed();

    /** Whether the connection cannot take a statement of ours now (a COPY is under way), so that no guard may run. */
    public abstract boolean busy();

    /** Whether the service declared the connection read-only. */
    public abstract boolean readOnly();

    /** Whether the connection is closed, by the service or by a failure. */
    public abstract boolean closed();

    /** The number of the server's process or thread that serves this connection, as the server's own views name it; 0 if not known. */
    public abstract int backend();
}
