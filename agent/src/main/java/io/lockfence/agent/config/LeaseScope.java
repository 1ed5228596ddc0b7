/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Whose work a lease covers. */
public enum LeaseScope {
    /** That of the thread that took the lock, and what is chained to its future. */
    THREAD,
    /** That of every thread of the JVM, as leadership does. */
    PROCESS
}
