/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.Properties;

/**
 * The second seam: what integrations of drivers tell the agent about effects that the service is about to cause.
 * Implemented by the agent; each method throws the refusal that the service is to see, and nothing else.
 */
public interface Effects {
    /**
     * The service has opened a physical connection.
     *
     * @param session its face; kept by the integration
     * @param driver the {@code java.sql.Driver} that opened it
     * @param url as the driver was given it; may hold credentials, never logged
     * @param info as the driver was given it; may hold credentials, never logged
     */
    void opened(Session session, Object driver, String url, Properties info);

    /**
     * Statements are about to be sent.
     *
     * @param sql their text, one each
     * @param alone whether the driver would send them as a transaction of their own (autocommit)
     * @return true if the caller must open a transaction around them, and {@link #sent} commits it behind the guard
     */
    boolean sending(Session session, String[] sql, boolean alone) throws Throwable;

    /** One statement: the same as {@link #sending(Session, String[], boolean)}, without an array. */
    boolean sending(Session session, String sql, boolean alone) throws Throwable;

    /**
     * The statements of the last {@link #sending} were answered, or failed.
     *
     * @param thrown what the driver throws, or null
     */
    void sent(Session session, Throwable thrown) throws Throwable;

    /**
     * {@code Connection.commit()} is about to commit the open transaction. If this returns, the driver goes on with its own commit,
     * and finds nothing left to do where the agent has committed together with the guard.
     */
    void committing(Session session) throws Throwable;

    /** {@code Connection.rollback()} has ended the transaction. */
    void rolledBack(Session session);

    /** {@code setAutoCommit(true)}: the service gives up what a refusal left, without an answer of its own. */
    void abandoned(Session session);

    /** The connection is being closed or aborted; an open transaction is rolled back by the server. */
    void closed(Session session);
}
