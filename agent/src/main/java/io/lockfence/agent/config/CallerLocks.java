/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Locks that callers hold: their names and resources come with each request. */
public enum CallerLocks implements LockOrigin {
    INSTANCE;

    @Override
    public String library() {
        return "http";
    }

    @Override
    public boolean matches(String lockName) {
        return false;
    }

    @Override
    public String resource(String lockName) {
        return null;
    }
}
