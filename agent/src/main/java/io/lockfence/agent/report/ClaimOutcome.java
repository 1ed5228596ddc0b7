/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

/** How a claim ended. */
public enum ClaimOutcome {
    /** The fence was advanced to the lease. */
    CLAIMED,
    /** The fence held exactly this lease already. */
    UNCHANGED,
    /** The fence holds something that refuses the lease. */
    REFUSED,
    /** The fence could not be asked, or not in time. */
    FAILED
}
