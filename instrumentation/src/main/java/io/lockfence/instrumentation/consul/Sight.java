/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

/**
 * A key, as Consul's leader had it.
 *
 * @param sentAt {@link System#nanoTime()} before it was asked for
 * @param session that has the lock; null for none, and where there is no key
 * @param createIndex another one once the key has been deleted
 * @param modifyIndex grows with each change of the key, by whomever
 * @param lockIndex grows with each acquisition, begins anew with the key, and is 0 after a write by somebody who did not acquire
 */
record Sight(long sentAt, String session, long createIndex, long modifyIndex, long lockIndex) {
    static Sight nothing(long sentAt) {
        return new Sight(sentAt, null, 0, 0, 0);
    }

    boolean isOf(String owner) {
        return owner.equals(session);
    }

    /** Whether the session of then has not given the lock back in between, if it is the session of now. */
    boolean isSameHoldAs(Sight earlier) {
        return createIndex == earlier.createIndex && (lockIndex == earlier.lockIndex || lockIndex == 0);
    }
}
