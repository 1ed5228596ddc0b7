/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * Why an effect was refused, and how each kind of target says so.
 *
 * <p>SQLStates are of class {@code LF}: never {@code 08} (pools evict the connection, HikariCP's
 * {@code ProxyConnection.checkException}) and never {@code 40} (retry frameworks repeat the work).
 */
public enum Refusal {
    /** A newer lease has claimed the fence. */
    STALE("LF001", 412),
    /** The lease is past its deadline, or the coordinator said that it is lost; refused before anything was sent. */
    EXPIRED("LF002", 0),
    /** The rules require a lease and the thread has none. */
    UNLEASED("LF003", 428),
    /** It cannot be told whether the lease still holds: no fence table, no rights, no token, or a claim waited too long. */
    UNKNOWN("LF004", 503),
    /** The coordinator issued the same token to another lease. */
    DUPLICATE_TOKEN("LF005", 409),
    /** The resource belongs to another lock: a mistake in the rules. */
    OTHER_LOCK("LF006", 500),
    /** The database holds less than was claimed there: it lost the claim. */
    CLAIM_LOST("LF007", 412),
    /** The snapshot is older than the lock, or the path cannot be guarded. */
    UNGUARDABLE("LF008", 500);

    private final String sqlState;
    private final int httpStatus;

    Refusal(String sqlState, int httpStatus) {
        this.sqlState = sqlState;
        this.httpStatus = httpStatus;
    }

    /** The five characters that a JDBC caller sees in {@code SQLException.getSQLState()}. */
    public String sqlState() {
        return sqlState;
    }

    /** The status that a receiver answers with, or 0 where the request is never sent. */
    public int httpStatus() {
        return httpStatus;
    }

    /**
     * The refusal of a SQLState.
     *
     * @param sqlState five characters, or null
     * @return null if the state is none of ours
     */
    public static Refusal ofSqlState(String sqlState) {
        if (sqlState == null || !sqlState.startsWith("LF")) {
            return null;
        }
        for (Refusal refusal : values()) {
            if (refusal.sqlState.equals(sqlState)) {
                return refusal;
            }
        }
        return null;
    }
}
