/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

/** How a guard ended. */
public enum GuardOutcome {
    /** The fence holds the lease, and is kept so until the transaction ends. */
    HELD,
    /** The fence does not hold the lease. */
    REFUSED,
    /** The guard was cut off or could not run: it cannot be told. */
    FAILED
}
