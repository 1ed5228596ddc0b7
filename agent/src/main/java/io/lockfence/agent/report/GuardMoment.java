/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

/** When a guard ran. */
public enum GuardMoment {
    /** Just before the commit. */
    COMMIT,
    /** Before the release of the lock, in a transaction that is still open. */
    RELEASE,
    /** With a claim that was made in the service's own transaction. */
    IN_TRANSACTION
}
