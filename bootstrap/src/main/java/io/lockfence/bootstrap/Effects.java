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
     * A connection is met that the service opened before Lockfence was attached: on the thread that is about to use it. How its transaction stands,
     * {@link Session} tells; what was sent in it is not known.
     *
     * @param session its face; kept by the integration
     * @param driver a {@code java.sql.Driver} of the same copy as the one that opened it
     * @param url as the driver was given it; may hold credentials, never logged
     * @param info what is known of what the driver was given beside it: no password, unless it is in the URL
     */
    default void adopted(Session session, Object driver, String url, Properties info) {
        opened(session, driver, url, info);
    }

    /**
     * Whether Lockfence may open connections of its own to a database.
     *
     * @param url as a pool was given it; null if that is not known
     */
    default boolean mayBeClaimed(String url) {
        return false;
    }

    /**
     * Whether a statement that the current thread sends now could matter, whatever it says: a lease on the thread, a transaction under
     * one, a refusal that stands, a rule on writes under no lease. If not, neither {@code sending} nor {@link #sent} need be called for
     * it. Takes no lock, reads no clock, allocates nothing.
     */
    default boolean concerned(Session session) {
        return true;
    }

    /**
     * Statements are about to be sent. The empty query and describe-only calls are not reported, nor is anything that the agent
     * itself sends ({@link Session#ours}).
     *
     * <p>May nest: a driver's autosave sends its {@code ROLLBACK TO SAVEPOINT} between {@code sending} and {@link #sent} of the
     * statement that failed, as a pair of its own with {@code alone} false.
     *
     * @param sql their text as the server gets it, one each; a call that bypasses SQL is reported as {@link #FASTPATH}
     * @param alone whether the driver would send them as a transaction of their own (autocommit, none open at the server)
     * @return true if the caller must open a transaction around them, and {@link #sent} ends it; allowed only if {@code alone}, and
     *     only while something is counted in {@link LeaseContext} until {@link #sent} has returned
     */
    boolean sending(Session session, String[] sql, boolean alone) throws Throwable;

    /** One statement: the same as {@link #sending(Session, String[], boolean)}, without an array. */
    boolean sending(Session session, String sql, boolean alone) throws Throwable;

    /** The text that stands for a call of a function by its number (PostgreSQL's fast path: large objects); counts as a write. */
    String FASTPATH = "FASTPATH";

    /**
     * The statements of a {@link #sending} were answered, or failed; called once for each that returned. A COPY was answered when its
     * data has ended. If {@code opened}, this commits behind the guard, or rolls back if {@code thrown} is not null, and no transaction
     * is open when it returns or throws.
     *
     * @param opened what {@link #sending} returned
     * @param thrown what the driver throws, or null; thrown on by the caller if this returns
     */
    void sent(Session session, boolean opened, Throwable thrown) throws Throwable;

    /** Whether the connection's transaction is under a lease, or refused: then a fault of ours on it must not let anything pass. */
    boolean bound(Session session);

    /**
     * Whether nothing may be sent now on a connection that the agent could not be told of, because of a fault of ours: what it would send
     * could not be fenced.
     */
    boolean refusesUnknown();

    /**
     * More rows of a streaming result are about to be fetched. They belong to the snapshot that the statement had when it was sent: if a
     * lease came after that, its holder would be reading what may be older than its claim.
     *
     * @param openedUnder the leases that were on the thread when the statement was sent; never changed
     */
    void fetching(Session session, Lease[] openedUnder) throws Throwable;

    /**
     * {@code Connection.commit()} is about to commit, autocommit being off; whether anything is open, {@link Session} tells. If this returns, the driver goes on with its own commit,
     * and finds nothing left to do where the agent has committed together with the guard.
     */
    void committing(Session session) throws Throwable;

    /** {@code Connection.rollback()} has ended the transaction; also where none was open. */
    void rolledBack(Session session);

    /**
     * {@code setAutoCommit(true)} was called: if the connection is in the refused state, the service gives up what the refusal left,
     * without an answer of its own. Otherwise nothing to do: if autocommit was off, {@link #committing} follows.
     */
    void abandoned(Session session);

    /**
     * The connection was closed or aborted, by any thread, maybe more than once, maybe by the driver in the middle of a call; an open
     * transaction is rolled back by the server.
     */
    void closed(Session session);

    /**
     * A method that the rules fence is about to run. Calls may nest. Allocates nothing while the leases on the thread live.
     *
     * @param target its name in the rules
     * @return whether {@link #called} must follow when the method has returned or thrown
     * @throws FencedException if it must not run; then {@code called} does not follow
     */
    default boolean calling(String target) {
        return false;
    }

    /** A method of which {@link #calling} said that this must follow has ended, on the thread that it was called on. */
    default void called() {}

    /** The field that carries leases from a service to the next (RFC 9651: a list, an item for each lease). Set, never added to. */
    String HEADER = "Fencing-Token";

    /**
     * Whether an HTTP request that is sent under these leases could matter. If not, {@link #requesting} need not be called for it. Takes no lock,
     * reads no clock, allocates nothing.
     *
     * @param under the leases of the thread on which the service asked for the request: {@link LeaseContext#current()} there
     */
    default boolean concerned(Lease[] under) {
        return false;
    }

    /**
     * What stands for the leases of the current thread with a request that it makes now, for {@link #requesting} on whatever thread.
     *
     * @param under {@link LeaseContext#current()}
     * @return the same, unless there are none and the thread's work has outlived some
     */
    default Lease[] carried(Lease[] under) {
        return under;
    }

    /**
     * A request is about to be sent: at its first attempt and at each further one, a retry or a redirect, on whatever thread. May block for claims: on
     * the thread of the service's call once, so that later calls under the same leases do not.
     *
     * @param under what {@link #carried} said where the service asked for it, whatever has become of them since
     * @param method in capitals
     * @param url where this attempt goes: {@code scheme://host[:port]/path}, with or without the query; never shown
     * @return the value of {@link #HEADER} that the request must carry; null if it must carry none, also where it was made with one
     * @throws FencedException if it must not be sent
     */
    default String requesting(Lease[] under, String method, String url) {
        return null;
    }

    /** Whether any rule says what is done with requests that come in. If not, {@link #receiving} need not be called. */
    default boolean receives() {
        return false;
    }

    /**
     * A request has come in, and nothing of the service has seen it. May block for claims.
     *
     * @param request valid during the call only
     * @return what is to become of it; null if the rules say nothing about it: then it is handled under no lease
     */
    default Reception receiving(Incoming request) {
        return null;
    }

    /**
     * Whether a request must not reach the service without having been {@linkplain #receiving received}: an enforced rule names it, and may believe its token.
     * Never blocks, never throws.
     *
     * @param request valid during the call only
     */
    default boolean mustReceive(Incoming request) {
        return true;
    }
}
