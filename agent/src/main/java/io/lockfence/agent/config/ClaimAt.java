/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** When a lease claims its fences (DESIGN P3). */
public enum ClaimAt {
    /** Before the first statement that the lease sends. */
    FIRST_ACCESS,
    /** Inside the acquire call, for services that read elsewhere before they touch the database. */
    ACQUIRE
}
