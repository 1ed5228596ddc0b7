/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * One lease that a guard checks.
 *
 * @param enforced whether a finding fails the transaction; if not (shadow mode), it is only reported
 */
public record GuardItem(String resource, String lock, int generation, long token, String leaseId, boolean enforced) {
    public GuardItem {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(leaseId, "leaseId");
    }
}
